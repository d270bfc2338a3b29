#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

namespace cuboid::detail {

/// Which of the three buffers of a collective an address is in.
enum class Area : std::uint8_t { input, output, scratch };

struct Address {
  Area area = Area::scratch;
  std::size_t offset = 0;  ///< bytes
  Address operator+(std::size_t bytes) const { return {area, offset + bytes}; }
  bool operator==(const Address&) const = default;
};

/// One thing a rank does in a collective.
struct Step {
  enum class Kind : std::uint8_t {
    send,     ///< source → peer
    receive,  ///< peer → destination
    combine,  ///< destination = source op right, element by element
    copy,     ///< destination = source
  };
  Kind kind = Kind::copy;
  int peer = -1;
  std::uint32_t channel = 0;
  std::uint32_t segment = 0;
  std::size_t bytes = 0;
  Address source = {};
  Address right = {};
  Address destination = {};
};

using StepId = std::uint32_t;

/// All that one rank does in a collective: steps and which of them must be complete before which
/// may start. Made from a forest or from rounds; run by the engine any number of times.
struct Schedule {
  std::vector<Step> steps;
  std::vector<std::uint32_t> dependencies;  ///< by step: how many steps it waits for
  std::vector<std::uint32_t>
      first_successor;  ///< by step, one entry more than steps: its range in `successors`
  std::vector<StepId> successors;
  std::size_t scratch_bytes = 0;

  /// Whether any step reads or writes this memory.
  bool uses(Area area) const;
};

/// Of scratch memory and its pieces, in bytes: enough for any element.
inline constexpr std::size_t scratch_alignment = 64;

/// Lays a program out step by step.
class ScheduleBuilder {
 public:
  static constexpr StepId none = std::numeric_limits<StepId>::max();

  /// Adds a step that starts once all of `after` (those that are not `none`) are complete.
  StepId add(Step step, std::initializer_list<StepId> after);
  /// One more step to wait for.
  void depend(StepId step, StepId after);
  /// A piece of scratch memory, aligned for any element.
  Address scratch(std::size_t bytes);

  Schedule finish() &&;

 private:
  struct Dependency {
    StepId before;
    StepId after;
  };
  Schedule schedule_;
  std::vector<Dependency> dependencies_;
};

}  // namespace cuboid::detail
