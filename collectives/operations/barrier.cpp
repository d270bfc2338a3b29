#include <cuboid/collectives.hpp>

#include "collectives/communicator/communicator_state.hpp"

namespace cuboid {

using namespace detail;

void barrier(const Communicator& communicator) {
  CollectiveCall{communicator, {.operation = Operation::barrier}}.run();
}

Request start_barrier(const Communicator& communicator, OnStream after) {
  return CollectiveCall{communicator, {.operation = Operation::barrier}}.start(after);
}

CollectivePlan plan_barrier(const Communicator& communicator) {
  return CollectiveCall{communicator, {.operation = Operation::barrier}}.plan();
}

}  // namespace cuboid
