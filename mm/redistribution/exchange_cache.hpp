#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/redistribution/chunk_exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// Redistributions that travel together; equal on all ranks.
struct ToRedistribute {
  std::vector<RedistributedLayouts> several;
  std::size_t element_bytes = 0;
  std::int64_t exchange_bytes = default_exchange_bytes;

  bool operator==(const ToRedistribute&) const = default;
};

/// Their plan, and the memory to exchange in; none if every element stays on its rank.
struct PlannedExchange {
  ToRedistribute wanted;
  ReadyPlan ready;
  std::shared_ptr<ChunkExchange> exchange;
};

/// The plan that was kept for equal redistributions of this communicator, or a new one, which is
/// kept from now on. The communicator keeps the last plans, and one memory of each kind for all of
/// them. Both go with it, without meeting the other ranks. Collective where the plan is new: equal
/// calls on all ranks find the same kept. Throws Error(out_of_memory) on all ranks.
std::shared_ptr<const PlannedExchange> cached_exchange(const Communicator& communicator,
                                                       const ToRedistribute& wanted);

}  // namespace cuboid::detail
