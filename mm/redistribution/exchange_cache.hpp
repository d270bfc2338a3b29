#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/redistribution/chunk_exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// Redistributions that travel together. Equal on all ranks.
struct ToRedistribute {
  std::vector<RedistributedLayouts> several;
  std::size_t element_bytes = 0;
  std::int64_t exchange_bytes = default_exchange_bytes;

  bool operator==(const ToRedistribute&) const = default;
};

/// The plan of such redistributions, and the memory of the exchange. There is no memory if every
/// element stays on its rank.
struct PlannedExchange {
  ToRedistribute wanted;
  ReadyPlan ready;
  std::shared_ptr<ChunkExchange> exchange;
};

/// The plan that the communicator keeps for equal redistributions. If it has none, makes a new
/// plan, which it keeps from then on. The communicator keeps the last plans, and one memory of each
/// kind for all of them. Plans and memory are freed with the communicator, without waiting for the
/// other ranks. Collective if the plan is new: equal calls on all ranks find the same plans. Throws
/// Error(out_of_memory) on all ranks.
std::shared_ptr<const PlannedExchange> cached_exchange(const Communicator& communicator,
                                                       const ToRedistribute& wanted);

}  // namespace cuboid::detail
