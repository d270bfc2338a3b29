#pragma once

#include "tools/point_to_point/loops.hpp"

#include <span>
#include <string_view>

namespace cuboid::detail::tools {

/// The quantity that a measurement between pairs reports.
enum class Quantity {
  latency,       ///< latency of one message or copy
  bandwidth,     ///< bandwidth of a window of messages or copies
  message_rate,  ///< bandwidth, and messages per second
  overlap        ///< overlap of a message or copy with computation
};

/// The data that one iteration delivers, which --validate checks.
enum class ArrivalSide {
  second,       ///< the second rank has the first rank's bytes
  both,         ///< each rank has the other's bytes
  put,          ///< the second rank's window has the first rank's bytes
  got,          ///< the first rank has the bytes of the second rank's window
  where_it_is,  ///< nothing is delivered; the first rank loads from the second's window
};

/// A measurement between pairs of ranks: one row of the table.
struct PairMeasurement {
  const char* name;  ///< name of the subcommand, which is that of OSU's benchmark without "osu_"
  const char* help;  ///< help text
  const char* osu;   ///< title in OSU's output; empty: OSU has no such benchmark
  Quantity quantity;
  ArrivalSide arrival;
  bool many = false;      ///< all pairs at once, of ranks i and i + pairs; else only ranks 0 and 1
  bool windowed = false;  ///< several messages in flight
  int directions = 1;     ///< number of directions in which an iteration sends messages
  double (*loop)(const PairEnd&, int) = nullptr;
  OverlappedCall (*overlapped)(const PairEnd&) = nullptr;  ///< used instead of `loop`

  bool one_sided() const { return arrival != ArrivalSide::second && arrival != ArrivalSide::both; }
  /// True if the pair must share memory.
  bool direct() const { return arrival == ArrivalSide::where_it_is; }
};

std::span<const PairMeasurement> pair_measurements();
/// The measurement of that name, which must be in the table.
const PairMeasurement& pair_measurement(std::string_view name);

}  // namespace cuboid::detail::tools
