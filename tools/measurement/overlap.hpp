#pragma once

#include <functional>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// How much of a communication is hidden behind work, as OSU's non-blocking benchmarks measure it:
/// start, then work that takes about as long as the communication alone, then wait. Times are of
/// one call, in seconds.
struct Overlap {
  double overall = 0;  ///< from start to the end of wait
  double compute = 0;  ///< the work in it
  double start = 0;
  double wait = 0;
  double pure = 0;  ///< the communication alone

  /// The share of the communication that took no time of its own, 0 to 100.
  double percent() const;
  Overlap& operator+=(const Overlap& other);
  Overlap operator/(double divisor) const;
};

/// Work for a core, of a known length.
class DummyWork {
 public:
  /// Measures this core.
  DummyWork();
  /// Works for about so long if nothing disturbs it.
  void run(double seconds) const;

 private:
  double per_second_ = 0;
};

/// What is measured on this rank.
struct OverlappedCall {
  std::function<void()> meet;  ///< all ranks, before each call
  std::function<void()> start;
  std::function<void()> wait;
};

/// The means of `iterations` calls on this rank. All ranks make as many.
Overlap measure_overlap(const OverlappedCall& call, const DummyWork& work, int iterations);

/// The members of a row in JSON; null where nothing was measured.
void put_overlap(nlohmann::ordered_json& row, const char* prefix, const Overlap* overlap);

}  // namespace cuboid::detail::tools
