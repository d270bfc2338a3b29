#include <cuboid/collectives.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <span>
#include <utility>

namespace cuboid {

using namespace detail;

namespace {

/// @param blocks  of the input, at the root
CollectiveCall scatter_call(const Communicator& communicator, const ConstBuffer& input,
                            BlockList blocks, const Buffer& output, int root) {
  require_root(communicator, Operation::scatter, root);
  Collective collective{
      .operation = Operation::scatter, .type = output.type, .count = output.count, .root = root};
  if (communicator.rank() != root)
    return {communicator, std::move(collective), input.data, output.data};
  const auto own = static_cast<std::size_t>(root);
  require_same_type(communicator, Operation::scatter, input, output);
  require_count(communicator, Operation::scatter, "output", output.count, blocks.count(own));
  collective.in_place = in_place(communicator, Operation::scatter, input, output,
                                 blocks.displacement(own) * input.type.bytes(), output.bytes());
  collective.input_blocks = std::move(blocks);
  return {communicator, std::move(collective), input.data, output.data};
}

CollectiveCall scatter_call(const Communicator& communicator, const ConstBuffer& input,
                            const Buffer& output, int root) {
  BlockList blocks;
  if (communicator.rank() == root) {
    blocks = BlockList::equal(communicator.size(), output.count);
    require_count(communicator, Operation::scatter, "input", input.count, blocks.total());
  }
  return scatter_call(communicator, input, std::move(blocks), output, root);
}

CollectiveCall scatter_call(const Communicator& communicator, const ConstBuffer& input,
                            std::span<const std::size_t> counts,
                            std::span<const std::size_t> displacements, const Buffer& output,
                            int root) {
  BlockList blocks;
  if (communicator.rank() == root) {
    blocks = require_blocks(communicator, Operation::scatter, "input", input.count, counts,
                            displacements);
  }
  return scatter_call(communicator, input, std::move(blocks), output, root);
}

}  // namespace

void scatter(const Communicator& communicator, ConstBuffer input, Buffer output, int root) {
  scatter_call(communicator, input, output, root).run();
}

Request start_scatter(const Communicator& communicator, ConstBuffer input, Buffer output, int root,
                      OnStream after) {
  return scatter_call(communicator, input, output, root).start(after);
}

CollectivePlan plan_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                            int root) {
  return scatter_call(communicator, input, output, root).plan();
}

void scatterv(const Communicator& communicator, ConstBuffer input,
              std::span<const std::size_t> counts, std::span<const std::size_t> displacements,
              Buffer output, int root) {
  scatter_call(communicator, input, counts, displacements, output, root).run();
}

Request start_scatterv(const Communicator& communicator, ConstBuffer input,
                       std::span<const std::size_t> counts,
                       std::span<const std::size_t> displacements, Buffer output, int root,
                       OnStream after) {
  return scatter_call(communicator, input, counts, displacements, output, root).start(after);
}

CollectivePlan plan_scatterv(const Communicator& communicator, ConstBuffer input,
                             std::span<const std::size_t> counts,
                             std::span<const std::size_t> displacements, Buffer output, int root) {
  return scatter_call(communicator, input, counts, displacements, output, root).plan();
}

}  // namespace cuboid
