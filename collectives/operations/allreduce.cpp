#include <cuboid/allreduce.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

namespace cuboid {

using namespace detail;

namespace {

Collective describe_allreduce(const Communicator& communicator, const ConstBuffer& input,
                              const Buffer& output, const Reduction& reduction) {
  constexpr Operation operation = Operation::allreduce;
  require_same_type(communicator, operation, input, output);
  require_count(communicator, operation, "output", output.count, input.count);
  require_defined(communicator, operation, reduction, input.type);
  Collective collective{.operation = operation, .type = input.type, .count = input.count};
  collective.in_place = in_place(communicator, operation, input, output, 0, input.bytes());
  collective.reduction = reduction;
  return collective;
}

}  // namespace

void allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
               const Reduction& reduction) {
  run_collective(communicator, describe_allreduce(communicator, input, output, reduction),
                 input.data, output.data);
}

Request start_allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                        const Reduction& reduction) {
  return start_collective(communicator, describe_allreduce(communicator, input, output, reduction),
                          input.data, output.data);
}

CollectivePlan plan_allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                              const Reduction& reduction) {
  return plan_collective(communicator, describe_allreduce(communicator, input, output, reduction),
                         input.data, output.data);
}

}  // namespace cuboid
