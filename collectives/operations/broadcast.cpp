#include <cuboid/broadcast.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

namespace cuboid {

using namespace detail;

namespace {

Collective describe_broadcast(const Communicator& communicator, const Buffer& buffer, int root) {
  require_root(communicator, Operation::broadcast, root);
  return {
      .operation = Operation::broadcast, .type = buffer.type, .count = buffer.count, .root = root};
}

}  // namespace

void broadcast(const Communicator& communicator, Buffer buffer, int root) {
  run_collective(communicator, describe_broadcast(communicator, buffer, root), buffer.data,
                 buffer.data);
}

Request start_broadcast(const Communicator& communicator, Buffer buffer, int root) {
  return start_collective(communicator, describe_broadcast(communicator, buffer, root), buffer.data,
                          buffer.data);
}

CollectivePlan plan_broadcast(const Communicator& communicator, Buffer buffer, int root,
                              int stream_length) {
  Collective collective = describe_broadcast(communicator, buffer, root);
  collective.stream_length = stream_length;
  return plan_collective(communicator, collective, buffer.data, buffer.data);
}

}  // namespace cuboid
