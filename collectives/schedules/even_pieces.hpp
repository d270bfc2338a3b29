#pragma once

#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// A step that stands for consecutive pieces.
struct EvenStep {
  Step step;
  std::size_t first = 0;  ///< the number of its first piece
  std::size_t end = 0;    ///< the number after that of its last piece
};

/// Puts copies or combinations of pieces into few steps that do the same in the same order, so that
/// a schedule need not list every block. Adjacent pieces become one piece. Pieces at equal
/// distances become a repetition: the blocks of a line of a torus; those of a plane, as a
/// repetition of lines.
class EvenSteps {
 public:
  /// @param most_bytes  the most bytes of a step of several pieces, as no message progresses during
  ///                    a step.
  EvenSteps(std::size_t most_bytes, ScheduleBuilder& builder)
      : most_bytes_(most_bytes), builder_(builder) {}

  /// Adds a step without repetition, which stands for the pieces from `first` to before `end`.
  void add(const Step& piece, std::size_t first, std::size_t end);
  /// Adds `distance.times` such steps at these distances, which stand for `each` pieces each.
  void add_even(const Step& piece, const Repetition& distance, std::size_t first, std::size_t each);
  std::vector<EvenStep> take() &&;

 private:
  struct Item {
    EvenStep even;
    std::size_t bytes = 0;  // of all pieces
  };
  // Items at equal distances, which become a repetition. Where they are too few, they are handed on
  // one by one.
  struct Level {
    Item item;  // the first
    std::uint32_t times = 0;
    Repetition distance;
    std::size_t last_first = 0;  // of the last item
    std::size_t last_end = 0;
  };

  void hand_on_joined();
  void add(std::size_t level, const Item& item);
  bool joins(const Level& level, const Item& item, Repetition& distance) const;
  void settle(std::size_t level);

  std::size_t most_bytes_;
  ScheduleBuilder& builder_;
  std::optional<Item> joined_;  // adjacent pieces
  std::vector<Level> levels_{1};
  std::vector<EvenStep> steps_;
};

}  // namespace cuboid::detail
