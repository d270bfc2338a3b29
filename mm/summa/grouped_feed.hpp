#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/panels.hpp"
#include "mm/gemm/gemm_in_strips.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/summa/line_broadcasts.hpp"
#include "mm/summa/tall_operand.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Some panels, one after the other: first <= number < last.
struct PanelSpan {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const PanelSpan&) const = default;
};

/// Gathers panels into outer ones of at most `outer_width` each, of at least one panel each.
std::vector<PanelSpan> outer_panels(std::span<const PanelRanges> panels, std::int64_t outer_width);

/// A line of ranks in groups of equally many: ranks 0 … s-1 are group 0, and so on.
class GroupedLine {
 public:
  /// Collective over `line`. Throws Error(invalid_argument) if `groups` does not divide its
  /// size.
  GroupedLine(const Communicator& line, int groups);

  /// The ranks with this one's place in their groups, by group.
  const Communicator& between() const { return between_; }
  /// This rank's group, by place.
  const Communicator& inside() const { return inside_; }

  int rank() const { return rank_; }
  int group_of(int rank) const { return rank / inside_.size(); }
  int place_of(int rank) const { return rank % inside_.size(); }

 private:
  int rank_;
  Communicator inside_;
  Communicator between_;
};

/// Brings an operand's panels to all ranks of a line in HSUMMA's two phases (Quintin et al. 2013,
/// §III): outer panels from their owners to the ranks of equal place in all groups, from these the
/// panels inside it to the rest of their group. Panels are tall (see TallOperand). Two outer panels
/// and two inner ones have memory, made once: while one is multiplied with, the next is in flight.
template <MatrixElement T>
class GroupedFeed {
 public:
  /// @param inner   who owns which inner indices, by rank of the line.
  /// @param vectors  this rank's, as many as the other ranks of the line have.
  /// @param panels  all, gathered into `outers`.
  /// Plans broadcasts, but does not communicate. Throws Error(out_of_memory).
  GroupedFeed(GroupedLine line, const BlockCyclic<Inner>& inner, std::int64_t vectors,
              std::span<const PanelRanges> panels, std::span<const PanelSpan> outers);

  /// Begins to bring an outer panel to all groups. Collective over the line; at most one ahead of
  /// the last whose panels are finished.
  void start_between(std::int64_t outer, const TallOperand<T>& operand);
  /// Begins to bring a panel to all of the group as soon as it has come between groups. At most one
  /// ahead of the last finished.
  void start_inside(std::int64_t step);
  /// Lets panels make progress, and says whether some are in flight.
  bool progress();
  /// Waits for the panel of a step, which stays valid until step + 2 is started.
  Panel<T> finish(std::int64_t step, const TallOperand<T>& operand);

 private:
  /// What one owner has of a panel.
  struct Piece {
    int owner;
    Local<Inner> local;  ///< where it keeps it
    std::int64_t width;
    std::int64_t outer;     ///< in which outer panel it comes,
    std::size_t message;    ///< and in which of its messages
    std::int64_t at_outer;  ///< at which column there,
    std::int64_t at_panel;  ///< and at which of the panel
    std::size_t broadcast;  ///< inside the group
  };
  /// What one owner sends of an outer panel to other groups.
  struct Message {
    int owner;
    std::int64_t begin;
    std::int64_t width = 0;
    std::size_t broadcast = 0;  ///< between groups
  };
  struct Arrival {
    std::size_t message;
    Request broadcast;
  };

  void list_pieces(const BlockCyclic<Inner>& inner, std::span<const PanelRanges> panels,
                   std::span<const PanelSpan> outers);
  void plan_broadcasts();
  bool passes_on(int owner) const { return line_.place_of(owner) == line_.place_of(line_.rank()); }
  /// Starts what waits for nothing any more, in order.
  void advance();
  void send_inside(std::int64_t step, const Piece& piece);
  Request* arrival(const Piece& piece);

  T* outer_column(std::int64_t outer, std::int64_t column) const {
    return outer_memory_[static_cast<std::size_t>(outer % 2)].data() + column * vectors_;
  }
  T* panel_column(std::int64_t step, std::int64_t column) const {
    return panel_memory_[static_cast<std::size_t>(step % 2)].data() + column * vectors_;
  }

  GroupedLine line_;
  std::int64_t vectors_;
  std::vector<std::vector<Piece>> pieces_;      // by step
  std::vector<std::vector<Message>> messages_;  // by outer panel
  std::vector<PanelSpan> outers_;
  std::array<AlignedArray<T>, 2> outer_memory_, panel_memory_;
  LineBroadcasts broadcasts_between_, broadcasts_inside_;
  std::array<std::vector<Arrival>, 2> between_;  // of an outer panel
  std::array<std::vector<Request>, 2> inside_;   // of a panel
  /// Pieces that are not sent inside the group yet.
  struct Waiting {
    std::int64_t step;
    std::size_t piece;
  };
  std::vector<Waiting> waiting_;  // few
};

}  // namespace cuboid::detail
