#include <cuboid/barrier.hpp>

#include "collectives/communicator/communicator_state.hpp"

namespace cuboid {

using namespace detail;

void barrier(const Communicator& communicator) {
  run_collective(communicator, {.operation = Operation::barrier}, nullptr, nullptr);
}

Request start_barrier(const Communicator& communicator) {
  return start_collective(communicator, {.operation = Operation::barrier}, nullptr, nullptr);
}

CollectivePlan plan_barrier(const Communicator& communicator) {
  return plan_collective(communicator, {.operation = Operation::barrier}, nullptr, nullptr);
}

}  // namespace cuboid
