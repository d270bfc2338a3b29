#include <cuboid/collectives.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

namespace cuboid {

using namespace detail;

namespace {

CollectiveCall broadcast_call(const Communicator& communicator, const Buffer& buffer, int root) {
  require_root(communicator, Operation::broadcast, root);
  const Collective collective{
      .operation = Operation::broadcast, .type = buffer.type, .count = buffer.count, .root = root};
  return {communicator, collective, buffer.data, buffer.data};
}

}  // namespace

void broadcast(const Communicator& communicator, Buffer buffer, int root) {
  broadcast_call(communicator, buffer, root).run();
}

Request start_broadcast(const Communicator& communicator, Buffer buffer, int root, OnStream after) {
  return broadcast_call(communicator, buffer, root).start(after);
}

CollectivePlan plan_broadcast(const Communicator& communicator, Buffer buffer, int root,
                              int stream_length) {
  CollectiveCall call = broadcast_call(communicator, buffer, root);
  call.collective.stream_length = stream_length;
  return call.plan();
}

}  // namespace cuboid
