#include <cuboid/collectives.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <utility>

namespace cuboid {

using namespace detail;

namespace {

CollectiveCall reduce_scatter_call(const Communicator& communicator, const ConstBuffer& input,
                                   const Buffer& output, BlockList blocks,
                                   const Reduction& reduction) {
  const auto own = static_cast<std::size_t>(communicator.rank());
  require_same_type(communicator, Operation::reduce_scatter, input, output);
  require_count(communicator, Operation::reduce_scatter, "output", output.count, blocks.count(own));
  require_defined(communicator, Operation::reduce_scatter, reduction, input.type);
  Collective collective{
      .operation = Operation::reduce_scatter, .type = input.type, .count = output.count};
  collective.in_place = in_place(communicator, Operation::reduce_scatter, input, output,
                                 blocks.displacement(own) * input.type.bytes(), output.bytes());
  collective.reduction = reduction;
  collective.input_blocks = std::move(blocks);
  return {communicator, std::move(collective), input.data, output.data};
}

CollectiveCall reduce_scatter_call(const Communicator& communicator, const ConstBuffer& input,
                                   const Buffer& output, const Reduction& reduction) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  require_count(communicator, Operation::reduce_scatter, "input", input.count,
                ranks * output.count);
  return reduce_scatter_call(communicator, input, output,
                             BlockList::equal(communicator.size(), output.count), reduction);
}

CollectiveCall reduce_scatter_call(const Communicator& communicator, const ConstBuffer& input,
                                   const Buffer& output, std::span<const std::size_t> counts,
                                   const Reduction& reduction) {
  BlockList blocks =
      require_blocks(communicator, Operation::reduce_scatter, "input", input.count, counts, {});
  // The blocks have no gaps, so elements left over are a mistake.
  require_count(communicator, Operation::reduce_scatter, "input", input.count, blocks.total());
  return reduce_scatter_call(communicator, input, output, std::move(blocks), reduction);
}

}  // namespace

void reduce_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                    const Reduction& reduction) {
  reduce_scatter_call(communicator, input, output, reduction).run();
}

Request start_reduce_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                             const Reduction& reduction, OnStream after) {
  return reduce_scatter_call(communicator, input, output, reduction).start(after);
}

CollectivePlan plan_reduce_scatter(const Communicator& communicator, ConstBuffer input,
                                   Buffer output, const Reduction& reduction) {
  return reduce_scatter_call(communicator, input, output, reduction).plan();
}

void reduce_scatterv(const Communicator& communicator, ConstBuffer input, Buffer output,
                     std::span<const std::size_t> counts, const Reduction& reduction) {
  reduce_scatter_call(communicator, input, output, counts, reduction).run();
}

Request start_reduce_scatterv(const Communicator& communicator, ConstBuffer input, Buffer output,
                              std::span<const std::size_t> counts, const Reduction& reduction,
                              OnStream after) {
  return reduce_scatter_call(communicator, input, output, counts, reduction).start(after);
}

CollectivePlan plan_reduce_scatterv(const Communicator& communicator, ConstBuffer input,
                                    Buffer output, std::span<const std::size_t> counts,
                                    const Reduction& reduction) {
  return reduce_scatter_call(communicator, input, output, counts, reduction).plan();
}

}  // namespace cuboid
