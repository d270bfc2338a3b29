#pragma once

#include "tools/measurement/overlap.hpp"
#include "tools/point_to_point/channel.hpp"

namespace cuboid::detail::tools {

/// One rank of a pair. The first is the one that the time is taken of: it sends, puts or gets.
struct Side {
  Channel& channel;
  int peer = 0;
  bool first = true;
  std::size_t bytes = 0;  ///< of a message or a copy
  Bytes out_memory;       ///< at least so long; copies of a window use all of it in turns
  Memory in_memory;       ///< as long
  int window = 1;

  Bytes out() const { return out_memory.first(bytes); }
  Memory in() const { return in_memory.first(bytes); }
};

/// A loop runs on both ranks of a pair and returns the seconds of one iteration on this one. What
/// iterations are is as in OSU's benchmarks.

/// One message there and one back; returns half of it.
double ping_pong(const Side& side, int iterations);
/// A window of messages, all in flight, and a short answer when they are there.
double stream(const Side& side, int iterations);
/// The median of `tries` calls of `loop`, each of so many iterations: some are disturbed, and some
/// profit from what a link has saved up meanwhile.
double median_of(double (*loop)(const Side&, int), const Side& side, int iterations, int tries);
/// A window of messages each way at once.
double both_ways(const Side& side, int iterations);
/// The first writes to, or reads from, the other's memory; a window of copies, then a flush.
double put_loop(const Side& side, int iterations);
double get_loop(const Side& side, int iterations);
/// The first adds up the numbers in the other's memory: where they lie, or in a copy that it gets.
double read_direct(const Side& side, int iterations);
double read_copied(const Side& side, int iterations);

/// A message, or a get, to be overlapped with work. The other side of a get only meets.
OverlappedCall message_to_overlap(const Side& side);
OverlappedCall get_to_overlap(const Side& side);

}  // namespace cuboid::detail::tools
