#include <cuboid/collectives.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <span>
#include <utility>

namespace cuboid {

using namespace detail;

namespace {

/// @param blocks  of the output, at the root
CollectiveCall gather_call(const Communicator& communicator, const ConstBuffer& input,
                           const Buffer& output, int root, BlockList blocks) {
  require_root(communicator, Operation::gather, root);
  Collective collective{
      .operation = Operation::gather, .type = input.type, .count = input.count, .root = root};
  if (communicator.rank() != root)
    return {communicator, std::move(collective), input.data, output.data};
  const auto own = static_cast<std::size_t>(root);
  require_same_type(communicator, Operation::gather, input, output);
  require_count(communicator, Operation::gather, "input", input.count, blocks.count(own));
  collective.in_place = in_place(communicator, Operation::gather, input, output,
                                 blocks.displacement(own) * output.type.bytes(), input.bytes());
  collective.output_blocks = std::move(blocks);
  return {communicator, std::move(collective), input.data, output.data};
}

CollectiveCall gather_call(const Communicator& communicator, const ConstBuffer& input,
                           const Buffer& output, int root) {
  BlockList blocks;
  if (communicator.rank() == root) {
    blocks = BlockList::equal(communicator.size(), input.count);
    require_count(communicator, Operation::gather, "output", output.count, blocks.total());
  }
  return gather_call(communicator, input, output, root, std::move(blocks));
}

CollectiveCall gather_call(const Communicator& communicator, const ConstBuffer& input,
                           const Buffer& output, std::span<const std::size_t> counts,
                           std::span<const std::size_t> displacements, int root) {
  BlockList blocks;
  if (communicator.rank() == root) {
    blocks = require_blocks(communicator, Operation::gather, "output", output.count, counts,
                            displacements);
  }
  return gather_call(communicator, input, output, root, std::move(blocks));
}

}  // namespace

void gather(const Communicator& communicator, ConstBuffer input, Buffer output, int root) {
  gather_call(communicator, input, output, root).run();
}

Request start_gather(const Communicator& communicator, ConstBuffer input, Buffer output, int root,
                     OnStream after) {
  return gather_call(communicator, input, output, root).start(after);
}

CollectivePlan plan_gather(const Communicator& communicator, ConstBuffer input, Buffer output,
                           int root) {
  return gather_call(communicator, input, output, root).plan();
}

void gatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
             std::span<const std::size_t> counts, std::span<const std::size_t> displacements,
             int root) {
  gather_call(communicator, input, output, counts, displacements, root).run();
}

Request start_gatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                      std::span<const std::size_t> counts,
                      std::span<const std::size_t> displacements, int root, OnStream after) {
  return gather_call(communicator, input, output, counts, displacements, root).start(after);
}

CollectivePlan plan_gatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                            std::span<const std::size_t> counts,
                            std::span<const std::size_t> displacements, int root) {
  return gather_call(communicator, input, output, counts, displacements, root).plan();
}

}  // namespace cuboid
