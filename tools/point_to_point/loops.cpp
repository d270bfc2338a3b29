#include "tools/point_to_point/loops.hpp"

#include "base/statistics.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cuboid::detail::tools {

namespace {

/// The mean seconds of `iterations` calls.
template <class Call>
double timed(int iterations, const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (int i = 0; i < iterations; ++i) call();
  return std::chrono::duration<double>(Clock::now() - start).count() / iterations;
}

/// Reads all of the memory once, as a kernel that needs every number once does.
void add_up(Bytes numbers) {
  std::uint64_t sum = 0;
  std::uint64_t one = 0;
  std::size_t at = 0;
  for (; at + sizeof(one) <= numbers.size(); at += sizeof(one)) {
    std::memcpy(&one, numbers.data() + at, sizeof(one));
    sum += one;
  }
  for (; at < numbers.size(); ++at) sum += std::to_integer<std::uint64_t>(numbers[at]);
  volatile std::uint64_t sink = sum;
  static_cast<void>(sink);
}

template <class Copy>
double copies(const PairEnd& side, int iterations, const Copy& copy) {
  if (!side.first) return 0;
  return timed(iterations, [&] {
    std::size_t offset = 0;
    for (int i = 0; i < side.window; ++i) {
      copy(offset);
      offset += side.bytes;
      if (offset + side.bytes > side.in_memory.size()) offset = 0;
    }
    side.channel.flush();
  });
}

}  // namespace

double ping_pong(const PairEnd& side, int iterations) {
  const double there_and_back = timed(iterations, [&] {
    if (side.first) side.channel.send(side.out(), side.peer);
    side.channel.receive(side.in(), side.peer);
    if (!side.first) side.channel.send(side.out(), side.peer);
  });
  return there_and_back / 2;
}

double stream(const PairEnd& side, int iterations) {
  std::array<std::byte, 4> answer{};
  return timed(iterations, [&] {
    for (int i = 0; i < side.window; ++i) {
      if (side.first) {
        side.channel.start_send(side.out(), side.peer);
      } else {
        side.channel.start_receive(side.in(), side.peer);
      }
    }
    side.channel.wait_all();
    if (side.first) {
      side.channel.receive(answer, side.peer);
    } else {
      side.channel.send(answer, side.peer);
    }
  });
}

double median_of(double (*loop)(const PairEnd&, int), const PairEnd& side, int iterations,
                 int tries) {
  std::vector<double> seconds;
  for (int i = 0; i < tries; ++i) seconds.push_back(loop(side, iterations));
  return median(std::move(seconds));
}

double both_ways(const PairEnd& side, int iterations) {
  return timed(iterations, [&] {
    for (int i = 0; i < side.window; ++i) side.channel.start_receive(side.in(), side.peer);
    for (int i = 0; i < side.window; ++i) side.channel.start_send(side.out(), side.peer);
    side.channel.wait_all();
  });
}

double put_loop(const PairEnd& side, int iterations) {
  return copies(side, iterations, [&](std::size_t offset) {
    side.channel.put(side.out_memory.subspan(offset, side.bytes), side.peer, offset);
  });
}

double get_loop(const PairEnd& side, int iterations) {
  return copies(side, iterations, [&](std::size_t offset) {
    side.channel.get(side.in_memory.subspan(offset, side.bytes), side.peer, offset);
  });
}

double read_direct(const PairEnd& side, int iterations) {
  if (!side.first) return 0;
  const Bytes there = side.channel.direct(side.peer).first(side.bytes);
  return timed(iterations, [&] { add_up(there); });
}

double read_copied(const PairEnd& side, int iterations) {
  if (!side.first) return 0;
  return timed(iterations, [&] {
    side.channel.get(side.in(), side.peer, 0);
    side.channel.flush();
    add_up(side.in());
  });
}

OverlappedCall message_to_overlap(const PairEnd& side) {
  return {.meet = [&side] { side.channel.meet(); },
          .start =
              [&side] {
                if (side.first) {
                  side.channel.start_send(side.out(), side.peer);
                } else {
                  side.channel.start_receive(side.in(), side.peer);
                }
              },
          .wait = [&side] { side.channel.wait_all(); }};
}

OverlappedCall get_to_overlap(const PairEnd& side) {
  return {.meet = [&side] { side.channel.meet(); },
          .start =
              [&side] {
                if (side.first) side.channel.get(side.in(), side.peer, 0);
              },
          .wait =
              [&side] {
                if (side.first) side.channel.flush();
              }};
}

}  // namespace cuboid::detail::tools
