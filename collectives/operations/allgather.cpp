#include <cuboid/allgather.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <vector>

namespace cuboid {

using namespace detail;

namespace {

Collective describe_allgather(const Communicator& communicator, const ConstBuffer& input,
                              const Buffer& output, BlockList blocks) {
  const auto own = static_cast<std::size_t>(communicator.rank());
  require_same_type(communicator, Operation::allgather, input, output);
  require_count(communicator, Operation::allgather, "input", input.count, blocks.counts[own]);
  Collective collective{
      .operation = Operation::allgather, .type = input.type, .count = input.count};
  collective.in_place = in_place(communicator, Operation::allgather, input, output,
                                 blocks.displacements[own] * output.type.bytes(), input.bytes());
  collective.output_blocks = std::move(blocks);
  return collective;
}

Collective describe_allgather(const Communicator& communicator, const ConstBuffer& input,
                              const Buffer& output) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  require_count(communicator, Operation::allgather, "output", output.count, ranks * input.count);
  return describe_allgather(communicator, input, output,
                            BlockList::equal(communicator.size(), input.count));
}

Collective describe_allgather(const Communicator& communicator, const ConstBuffer& input,
                              const Buffer& output, std::span<const std::size_t> counts,
                              std::span<const std::size_t> displacements) {
  return describe_allgather(communicator, input, output,
                            require_blocks(communicator, Operation::allgather, "output",
                                           output.count, counts, displacements));
}

}  // namespace

void allgather(const Communicator& communicator, ConstBuffer input, Buffer output) {
  run_collective(communicator, describe_allgather(communicator, input, output), input.data,
                 output.data);
}

Request start_allgather(const Communicator& communicator, ConstBuffer input, Buffer output) {
  return start_collective(communicator, describe_allgather(communicator, input, output), input.data,
                          output.data);
}

CollectivePlan plan_allgather(const Communicator& communicator, ConstBuffer input, Buffer output) {
  return plan_collective(communicator, describe_allgather(communicator, input, output), input.data,
                         output.data);
}

void allgatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                std::span<const std::size_t> counts, std::span<const std::size_t> displacements) {
  run_collective(communicator,
                 describe_allgather(communicator, input, output, counts, displacements), input.data,
                 output.data);
}

Request start_allgatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                         std::span<const std::size_t> counts,
                         std::span<const std::size_t> displacements) {
  return start_collective(communicator,
                          describe_allgather(communicator, input, output, counts, displacements),
                          input.data, output.data);
}

CollectivePlan plan_allgatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                               std::span<const std::size_t> counts,
                               std::span<const std::size_t> displacements) {
  return plan_collective(communicator,
                         describe_allgather(communicator, input, output, counts, displacements),
                         input.data, output.data);
}

}  // namespace cuboid
