#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

namespace cuboid::detail {

/// The buffer of a collective that an address refers to.
enum class Area : std::uint8_t { input, output, scratch };

struct Address {
  Area area = Area::scratch;
  std::size_t offset = 0;  ///< bytes
  Address operator+(std::size_t bytes) const { return {area, offset + bytes}; }
  bool operator==(const Address&) const = default;
};

/// One action of a rank in a collective.
struct Step {
  enum class Kind : std::uint8_t {
    send,     ///< source → peer
    receive,  ///< peer → destination
    combine,  ///< destination = source op right, element by element
    copy,     ///< destination = source
    finish,   ///< what PlannedCollective::finish does to the destination, which is also the source
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

/// All actions of one rank in a collective: steps and their dependencies. Compiled from a forest or
/// from rounds; the engine runs it any number of times.
struct Schedule {
  std::vector<Step> steps;
  std::vector<std::uint32_t> dependencies;  ///< by step: number of steps it depends on
  std::vector<std::uint32_t>
      first_successor;  ///< by step, one entry more than steps: its range in `successors`
  std::vector<StepId> successors;
  std::size_t scratch_bytes = 0;
  int sends_at_a_time = 0;  ///< to one rank, the first of the steps first; 0: all that are ready

  /// Whether any step reads or writes this memory.
  bool uses(Area area) const;
};

/// The schedule and, when all of that is done, one more step.
Schedule followed_by(const Schedule& schedule, const Step& last);

/// Alignment of scratch memory and its pieces in bytes; enough for any element.
inline constexpr std::size_t scratch_alignment = 64;

/// Builds a program step by step.
class ScheduleBuilder {
 public:
  static constexpr StepId none = std::numeric_limits<StepId>::max();

  /// Makes room for so many steps, with a dependency each.
  void reserve(std::size_t steps);
  /// Makes room for so many times the steps that there are, each of which may get another
  /// dependency.
  void reserve_times(std::size_t times);
  /// Adds a step that starts when all of `after`, except `none`, are complete.
  StepId add(Step step, std::initializer_list<StepId> after);
  /// Adds one dependency.
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
