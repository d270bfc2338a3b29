#include <cuboid/collectives/barrier.hpp>
#include <cuboid/collectives/communicator_state.hpp>

namespace cuboid {

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
