#pragma once

#include <cuboid/reduction.hpp>

#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The caller's buffers of one rank; they may be the same memory.
struct RankMemory {
  std::span<std::byte> input;
  std::span<std::byte> output;
};

/// When a send reads its source and is complete. A right schedule bears all three.
enum class Sending {
  at_once,           ///< as a network with room for everything
  some_time_later,   ///< whether or not its receive is there
  with_its_receive,  ///< as a network with room for nothing
};

/// The schedules of all ranks of a collective, run against each other without a network.
class FakeWorld {
 public:
  FakeWorld(std::vector<Schedule> schedules, std::vector<RankMemory> memory,
            CombineFunction combine, std::size_t element_bytes);

  /// Runs everything to its end in one of the orders that the dependencies allow, picked by `seed`.
  /// A receive spoils its destination when it starts, so whoever still needs the old content shows.
  /// Returns what went wrong (deadlock, a message without its receive or of another length, an
  /// access outside the buffers); empty when nothing did.
  std::string run(Sending sending, std::uint64_t seed);

  /// Names two steps of a rank that touch the same bytes, at least one of them writing, without one
  /// waiting for the other; empty where there are none. Such steps may go wrong in some order,
  /// whichever run() has tried.
  std::string find_race() const;

 private:
  friend class FakeRun;

  struct Rank {
    Schedule schedule;
    RankMemory memory;
    std::vector<std::byte> scratch;
    /// The memory of `bytes` bytes at `address`; throws std::out_of_range where it leaves its
    /// buffer.
    std::span<std::byte> at(const Address& address, std::size_t bytes) const;
  };

  std::vector<Rank> ranks_;
  CombineFunction combine_;
  std::size_t element_bytes_;
};

}  // namespace cuboid::detail
