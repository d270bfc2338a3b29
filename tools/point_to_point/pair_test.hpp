#pragma once

#include "tools/point_to_point/loops.hpp"

#include <span>
#include <string_view>

namespace cuboid::detail::tools {

/// What a measurement between pairs tells.
enum class Quantity {
  latency,       ///< of a message or a copy
  bandwidth,     ///< of a window of them
  message_rate,  ///< bandwidth, and messages per second
  overlap        ///< how much is hidden behind work
};

/// What one iteration has brought where, for --validate.
enum class Arrival {
  second,       ///< the first's bytes at the second
  both,         ///< each other's bytes at both
  put,          ///< the first's bytes in the second's window
  got,          ///< the bytes of the second's window at the first
  where_it_is,  ///< nothing; the first sees the second's window
};

/// A measurement between pairs of ranks: the row of a table.
struct PairTest {
  const char* name;  ///< of the subcommand, without "osu_" that of OSU's benchmark
  const char* help;  ///< what it measures
  const char* osu;   ///< its title in OSU's output; empty: OSU has none
  Quantity quantity;
  Arrival arrival;
  bool many = false;      ///< ranks i and i + pairs of all pairs at once, else ranks 0 and 1
  bool windowed = false;  ///< several messages in flight
  int directions = 1;     ///< in which messages of an iteration go
  double (*loop)(const Side&, int) = nullptr;
  OverlappedCall (*overlapped)(const Side&) = nullptr;  ///< instead of `loop`

  bool one_sided() const { return arrival != Arrival::second && arrival != Arrival::both; }
  /// Whether the pair must share memory.
  bool direct() const { return arrival == Arrival::where_it_is; }
};

std::span<const PairTest> pair_tests();
/// The one of that name, which must be in the table.
const PairTest& pair_test(std::string_view name);

}  // namespace cuboid::detail::tools
