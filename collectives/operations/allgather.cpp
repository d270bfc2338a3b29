#include <cuboid/collectives.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <utility>
#include <vector>

namespace cuboid {

using namespace detail;

namespace {

CollectiveCall allgather_call(const Communicator& communicator, const ConstBuffer& input,
                              const Buffer& output, BlockList blocks) {
  const auto own = static_cast<std::size_t>(communicator.rank());
  require_same_type(communicator, Operation::allgather, input, output);
  require_count(communicator, Operation::allgather, "input", input.count, blocks.count(own));
  Collective collective{
      .operation = Operation::allgather, .type = input.type, .count = input.count};
  collective.in_place = in_place(communicator, Operation::allgather, input, output,
                                 blocks.displacement(own) * output.type.bytes(), input.bytes());
  collective.output_blocks = std::move(blocks);
  return {communicator, std::move(collective), input.data, output.data};
}

CollectiveCall allgather_call(const Communicator& communicator, const ConstBuffer& input,
                              const Buffer& output) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  require_count(communicator, Operation::allgather, "output", output.count, ranks * input.count);
  return allgather_call(communicator, input, output,
                        BlockList::equal(communicator.size(), input.count));
}

CollectiveCall allgather_call(const Communicator& communicator, const ConstBuffer& input,
                              const Buffer& output, std::span<const std::size_t> counts,
                              std::span<const std::size_t> displacements) {
  return allgather_call(communicator, input, output,
                        require_blocks(communicator, Operation::allgather, "output", output.count,
                                       counts, displacements));
}

}  // namespace

void allgather(const Communicator& communicator, ConstBuffer input, Buffer output) {
  allgather_call(communicator, input, output).run();
}

Request start_allgather(const Communicator& communicator, ConstBuffer input, Buffer output,
                        OnStream after) {
  return allgather_call(communicator, input, output).start(after);
}

CollectivePlan plan_allgather(const Communicator& communicator, ConstBuffer input, Buffer output) {
  return allgather_call(communicator, input, output).plan();
}

void allgatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                std::span<const std::size_t> counts, std::span<const std::size_t> displacements) {
  allgather_call(communicator, input, output, counts, displacements).run();
}

Request start_allgatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                         std::span<const std::size_t> counts,
                         std::span<const std::size_t> displacements, OnStream after) {
  return allgather_call(communicator, input, output, counts, displacements).start(after);
}

CollectivePlan plan_allgatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                               std::span<const std::size_t> counts,
                               std::span<const std::size_t> displacements) {
  return allgather_call(communicator, input, output, counts, displacements).plan();
}

}  // namespace cuboid
