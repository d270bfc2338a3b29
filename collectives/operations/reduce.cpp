#include <cuboid/reduce.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

namespace cuboid {

using namespace detail;

namespace {

Collective describe_reduce(const Communicator& communicator, const ConstBuffer& input,
                           const Buffer& output, const Reduction& reduction, int root) {
  constexpr Operation operation = Operation::reduce;
  require_root(communicator, operation, root);
  require_defined(communicator, operation, reduction, input.type);
  Collective collective{
      .operation = operation, .type = input.type, .count = input.count, .root = root};
  collective.reduction = reduction;
  if (communicator.rank() == root) {
    require_same_type(communicator, operation, input, output);
    require_count(communicator, operation, "output", output.count, input.count);
    collective.in_place = in_place(communicator, operation, input, output, 0, input.bytes());
  }
  return collective;
}

}  // namespace

void reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
            const Reduction& reduction, int root) {
  run_collective(communicator, describe_reduce(communicator, input, output, reduction, root),
                 input.data, output.data);
}

Request start_reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                     const Reduction& reduction, int root) {
  return start_collective(communicator,
                          describe_reduce(communicator, input, output, reduction, root), input.data,
                          output.data);
}

CollectivePlan plan_reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                           const Reduction& reduction, int root) {
  return plan_collective(communicator,
                         describe_reduce(communicator, input, output, reduction, root), input.data,
                         output.data);
}

}  // namespace cuboid
