#include <cuboid/collectives.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <utility>

namespace cuboid {

using namespace detail;

namespace {

CollectiveCall allreduce_call(const Communicator& communicator, const ConstBuffer& input,
                              const Buffer& output, const Reduction& reduction) {
  constexpr Operation operation = Operation::allreduce;
  require_same_type(communicator, operation, input, output);
  require_count(communicator, operation, "output", output.count, input.count);
  require_defined(communicator, operation, reduction, input.type);
  Collective collective{.operation = operation, .type = input.type, .count = input.count};
  collective.in_place = in_place(communicator, operation, input, output, 0, input.bytes());
  collective.reduction = reduction;
  return {communicator, std::move(collective), input.data, output.data};
}

}  // namespace

void allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
               const Reduction& reduction) {
  allreduce_call(communicator, input, output, reduction).run();
}

Request start_allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                        const Reduction& reduction, OnStream after) {
  return allreduce_call(communicator, input, output, reduction).start(after);
}

CollectivePlan plan_allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                              const Reduction& reduction) {
  return allreduce_call(communicator, input, output, reduction).plan();
}

}  // namespace cuboid
