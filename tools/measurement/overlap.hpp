#pragma once

#include <cuboid/communicator.hpp>

#include <functional>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The overlap of a communication with computation, as OSU's non-blocking benchmarks measure it:
/// start, then computation that takes about as long as the communication alone, then wait. Times
/// are seconds of one call.
struct Overlap {
  double overall = 0;  ///< from the start until the wait returns
  double compute = 0;  ///< the computation between start and wait
  double start = 0;
  double wait = 0;
  double pure = 0;        ///< the communication alone
  double least_pure = 0;  ///< for the rank for which it takes the least time
  double most_pure = 0;   ///< for the rank for which it takes the most time

  /// The share of the communication that overlaps with computation, 0 to 100.
  double percent() const;
};

/// Computation that occupies a core for a given time.
class DummyWork {
 public:
  /// Measures the speed of this core.
  DummyWork();
  /// Computes for about `seconds` if nothing disturbs it.
  void run(double seconds) const;

 private:
  double per_second_ = 0;
};

/// The communication to measure on this rank.
struct OverlappedCall {
  std::function<void()> meet;  ///< synchronises all ranks before each call
  std::function<void()> start;
  std::function<void()> wait;
};

/// The means of `iterations` calls on this rank. All ranks pass the same number.
Overlap measure_overlap(const OverlappedCall& call, const DummyWork& work, int iterations);

/// The means over the ranks that count, of what each rank measured. At least one rank counts.
/// Collective.
Overlap over_ranks(const Communicator& world, const Overlap& mine, bool counts);

/// Adds the overlap's members to a row in JSON; null if nothing was measured.
void put_overlap(nlohmann::ordered_json& row, const char* prefix, const Overlap* overlap);

}  // namespace cuboid::detail::tools
