#include <cuboid/collectives/arguments.hpp>
#include <cuboid/collectives/communicator_state.hpp>
#include <cuboid/collectives/reduce_scatter.hpp>

namespace cuboid {

namespace {

constexpr Operation operation = Operation::reduce_scatter;

Collective describe_call(const Communicator& communicator, const ConstBuffer& input,
                         const Buffer& output, BlockList blocks, const Reduction& reduction) {
  const auto own = static_cast<std::size_t>(communicator.rank());
  require_same_type(communicator, operation, input, output);
  require_count(communicator, operation, "output", output.count, blocks.counts[own]);
  require_defined(communicator, operation, reduction, input.type);
  Collective collective{.operation = operation, .type = input.type, .count = output.count};
  collective.in_place = in_place(communicator, operation, input, output,
                                 blocks.displacements[own] * input.type.bytes(), output.bytes());
  collective.reduction = reduction;
  collective.input_blocks = std::move(blocks);
  return collective;
}

Collective describe_call(const Communicator& communicator, const ConstBuffer& input,
                         const Buffer& output, const Reduction& reduction) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  require_count(communicator, operation, "input", input.count, ranks * output.count);
  return describe_call(communicator, input, output,
                       BlockList::equal(communicator.size(), output.count), reduction);
}

Collective describe_call(const Communicator& communicator, const ConstBuffer& input,
                         const Buffer& output, std::span<const std::size_t> counts,
                         const Reduction& reduction) {
  return describe_call(communicator, input, output,
                       require_blocks(communicator, operation, "input", input.count, counts, {}),
                       reduction);
}

}  // namespace

void reduce_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                    const Reduction& reduction) {
  start_reduce_scatter(communicator, input, output, reduction).wait();
}

Request start_reduce_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                             const Reduction& reduction) {
  return start_collective(communicator, describe_call(communicator, input, output, reduction),
                          input.data, output.data);
}

CollectivePlan plan_reduce_scatter(const Communicator& communicator, ConstBuffer input,
                                   Buffer output, const Reduction& reduction) {
  return plan_collective(communicator, describe_call(communicator, input, output, reduction),
                         input.data, output.data);
}

void reduce_scatterv(const Communicator& communicator, ConstBuffer input, Buffer output,
                     std::span<const std::size_t> counts, const Reduction& reduction) {
  start_reduce_scatterv(communicator, input, output, counts, reduction).wait();
}

Request start_reduce_scatterv(const Communicator& communicator, ConstBuffer input, Buffer output,
                              std::span<const std::size_t> counts, const Reduction& reduction) {
  return start_collective(communicator,
                          describe_call(communicator, input, output, counts, reduction), input.data,
                          output.data);
}

CollectivePlan plan_reduce_scatterv(const Communicator& communicator, ConstBuffer input,
                                    Buffer output, std::span<const std::size_t> counts,
                                    const Reduction& reduction) {
  return plan_collective(communicator,
                         describe_call(communicator, input, output, counts, reduction), input.data,
                         output.data);
}

}  // namespace cuboid
