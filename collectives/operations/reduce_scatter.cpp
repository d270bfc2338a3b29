#include <cuboid/reduce_scatter.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

namespace cuboid {

using namespace detail;

namespace {

Collective describe_reduce_scatter(const Communicator& communicator, const ConstBuffer& input,
                                   const Buffer& output, BlockList blocks,
                                   const Reduction& reduction) {
  const auto own = static_cast<std::size_t>(communicator.rank());
  require_same_type(communicator, Operation::reduce_scatter, input, output);
  require_count(communicator, Operation::reduce_scatter, "output", output.count,
                blocks.counts[own]);
  require_defined(communicator, Operation::reduce_scatter, reduction, input.type);
  Collective collective{
      .operation = Operation::reduce_scatter, .type = input.type, .count = output.count};
  collective.in_place = in_place(communicator, Operation::reduce_scatter, input, output,
                                 blocks.displacements[own] * input.type.bytes(), output.bytes());
  collective.reduction = reduction;
  collective.input_blocks = std::move(blocks);
  return collective;
}

Collective describe_reduce_scatter(const Communicator& communicator, const ConstBuffer& input,
                                   const Buffer& output, const Reduction& reduction) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  require_count(communicator, Operation::reduce_scatter, "input", input.count,
                ranks * output.count);
  return describe_reduce_scatter(communicator, input, output,
                                 BlockList::equal(communicator.size(), output.count), reduction);
}

Collective describe_reduce_scatter(const Communicator& communicator, const ConstBuffer& input,
                                   const Buffer& output, std::span<const std::size_t> counts,
                                   const Reduction& reduction) {
  return describe_reduce_scatter(
      communicator, input, output,
      require_blocks(communicator, Operation::reduce_scatter, "input", input.count, counts, {}),
      reduction);
}

}  // namespace

void reduce_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                    const Reduction& reduction) {
  run_collective(communicator, describe_reduce_scatter(communicator, input, output, reduction),
                 input.data, output.data);
}

Request start_reduce_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                             const Reduction& reduction) {
  return start_collective(communicator,
                          describe_reduce_scatter(communicator, input, output, reduction),
                          input.data, output.data);
}

CollectivePlan plan_reduce_scatter(const Communicator& communicator, ConstBuffer input,
                                   Buffer output, const Reduction& reduction) {
  return plan_collective(communicator,
                         describe_reduce_scatter(communicator, input, output, reduction),
                         input.data, output.data);
}

void reduce_scatterv(const Communicator& communicator, ConstBuffer input, Buffer output,
                     std::span<const std::size_t> counts, const Reduction& reduction) {
  run_collective(communicator,
                 describe_reduce_scatter(communicator, input, output, counts, reduction),
                 input.data, output.data);
}

Request start_reduce_scatterv(const Communicator& communicator, ConstBuffer input, Buffer output,
                              std::span<const std::size_t> counts, const Reduction& reduction) {
  return start_collective(communicator,
                          describe_reduce_scatter(communicator, input, output, counts, reduction),
                          input.data, output.data);
}

CollectivePlan plan_reduce_scatterv(const Communicator& communicator, ConstBuffer input,
                                    Buffer output, std::span<const std::size_t> counts,
                                    const Reduction& reduction) {
  return plan_collective(communicator,
                         describe_reduce_scatter(communicator, input, output, counts, reduction),
                         input.data, output.data);
}

}  // namespace cuboid
