#pragma once

#include "tools/measurement/overlap.hpp"
#include "tools/point_to_point/channel.hpp"

namespace cuboid::detail::tools {

/// One rank of a pair. The time is measured on the first rank, which sends, puts or gets.
struct PairEnd {
  Channel& channel;
  int peer = 0;
  bool first = true;
  std::size_t bytes = 0;  ///< bytes of a message or a copy
  Bytes out_memory;  ///< at least `bytes` long; the copies of a window use successive parts of it
  Memory in_memory;  ///< has the length of out_memory
  int window = 1;

  Bytes out() const { return out_memory.first(bytes); }
  Memory in() const { return in_memory.first(bytes); }
};

/// A loop runs on both ranks of a pair and returns this rank's seconds per iteration. Iterations
/// are defined as in OSU's benchmarks.

/// One message in each direction, one after the other; returns half of the time.
double ping_pong(const PairEnd& side, int iterations);
/// A window of messages, all in flight, and a short answer when all have arrived.
double stream(const PairEnd& side, int iterations);
/// The median of `tries` calls of `loop`, each of `iterations` iterations. Some tries are
/// disturbed; others profit from a link's burst.
double median_of(double (*loop)(const PairEnd&, int), const PairEnd& side, int iterations,
                 int tries);
/// A window of messages in each direction at once.
double both_ways(const PairEnd& side, int iterations);
/// The first rank writes to, or reads from, the other's memory: a window of copies, then a flush.
double put_loop(const PairEnd& side, int iterations);
double get_loop(const PairEnd& side, int iterations);
/// The first rank adds up the numbers in the other's memory, either by direct loads or in a copy
/// that it gets.
double read_direct(const PairEnd& side, int iterations);
double read_copied(const PairEnd& side, int iterations);

/// A message, or a get, whose overlap with computation is measured. The passive rank of a get only
/// synchronises.
OverlappedCall message_to_overlap(const PairEnd& side);
OverlappedCall get_to_overlap(const PairEnd& side);

}  // namespace cuboid::detail::tools
