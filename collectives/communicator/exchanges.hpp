#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/reduction.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Exchanges that communicators themselves need. They stand below the public operations, and their
/// arguments need no checks. All are collective.

/// The values of all ranks, by rank.
template <class Value>
std::vector<Value> allgather_value(const Communicator& communicator, const Value& mine) {
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  Collective exchange{.operation = Operation::allgather, .type = datatype_of<Value>(), .count = 1};
  exchange.output_blocks = BlockList::equal(communicator.size(), 1);
  CollectiveCall{communicator, exchange, &mine, all.data()}.run();
  return all;
}

/// Combines the elements of all ranks; the result replaces them on all ranks.
inline void allreduce_in_place(const Communicator& communicator, Buffer buffer,
                               const Reduction& reduction) {
  const Collective exchange{.operation = Operation::allreduce,
                            .type = buffer.type,
                            .count = buffer.count,
                            .in_place = true,
                            .reduction = reduction};
  CollectiveCall{communicator, exchange, buffer.data, buffer.data}.run();
}

/// Copies the root's elements to all ranks.
inline void broadcast_in_place(const Communicator& communicator, Buffer buffer, int root) {
  const Collective exchange{
      .operation = Operation::broadcast, .type = buffer.type, .count = buffer.count, .root = root};
  CollectiveCall{communicator, exchange, buffer.data, buffer.data}.run();
}

}  // namespace cuboid::detail
