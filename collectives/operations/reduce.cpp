#include <cuboid/collectives.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <utility>

namespace cuboid {

using namespace detail;

namespace {

CollectiveCall reduce_call(const Communicator& communicator, const ConstBuffer& input,
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
  return {communicator, std::move(collective), input.data, output.data};
}

}  // namespace

void reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
            const Reduction& reduction, int root) {
  reduce_call(communicator, input, output, reduction, root).run();
}

Request start_reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                     const Reduction& reduction, int root, OnStream after) {
  return reduce_call(communicator, input, output, reduction, root).start(after);
}

CollectivePlan plan_reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                           const Reduction& reduction, int root) {
  return reduce_call(communicator, input, output, reduction, root).plan();
}

}  // namespace cuboid
