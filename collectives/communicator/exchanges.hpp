#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/reduction.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// What communicators exchange themselves: operations that stand below the public ones, whose
/// arguments need no check. All are collective.

/// Everybody's value, by rank.
template <class Value>
std::vector<Value> allgather_value(const Communicator& communicator, const Value& mine) {
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  Collective exchange{.operation = Operation::allgather, .type = datatype_of<Value>(), .count = 1};
  exchange.output_blocks = BlockList::equal(communicator.size(), 1);
  CollectiveCall{communicator, exchange, &mine, all.data()}.run();
  return all;
}

/// The combination of all ranks' elements, on all ranks, in place.
inline void allreduce_in_place(const Communicator& communicator, Buffer buffer,
                               const Reduction& reduction) {
  const Collective exchange{.operation = Operation::allreduce,
                            .type = buffer.type,
                            .count = buffer.count,
                            .in_place = true,
                            .reduction = reduction};
  CollectiveCall{communicator, exchange, buffer.data, buffer.data}.run();
}

/// The root's elements, on all ranks.
inline void broadcast_in_place(const Communicator& communicator, Buffer buffer, int root) {
  const Collective exchange{
      .operation = Operation::broadcast, .type = buffer.type, .count = buffer.count, .root = root};
  CollectiveCall{communicator, exchange, buffer.data, buffer.data}.run();
}

}  // namespace cuboid::detail
