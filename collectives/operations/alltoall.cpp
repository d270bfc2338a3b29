#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

// With a place of 0 bytes in_place() refuses every overlap: no block of the output is also one of
// the input.
void require_apart(const Communicator& communicator, const ConstBuffer& input,
                   const Buffer& output) {
  static_cast<void>(in_place(communicator, Operation::alltoall, input, output, 0, 0));
}

CollectiveCall alltoall_call(const Communicator& communicator, const ConstBuffer& input,
                             Blocks send, const Buffer& output, Blocks receive) {
  require_same_type(communicator, Operation::alltoall, input, output);
  Collective collective{.operation = Operation::alltoall, .type = input.type};
  collective.input_blocks = require_blocks(communicator, Operation::alltoall, "input", input.count,
                                           send.counts, send.displacements);
  collective.output_blocks = require_blocks(communicator, Operation::alltoall, "output",
                                            output.count, receive.counts, receive.displacements);
  const auto own = static_cast<std::size_t>(communicator.rank());
  require_count(communicator, Operation::alltoall, "the block for this rank itself",
                receive.counts[own], send.counts[own]);
  require_apart(communicator, input, output);
  collective.count = collective.input_blocks.total();
  return {communicator, std::move(collective), input.data, output.data};
}

CollectiveCall alltoall_call(const Communicator& communicator, const ConstBuffer& input,
                             const Buffer& output) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  require_count(communicator, Operation::alltoall, "output", output.count, input.count);
  if (input.count % ranks != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rank {}: alltoall: {} elements of input do not divide equally among "
                            "{} ranks; give a multiple of {}, or use alltoallv",
                            communicator.rank(), input.count, ranks, ranks));
  }
  require_same_type(communicator, Operation::alltoall, input, output);
  require_apart(communicator, input, output);
  const BlockList blocks = BlockList::equal(communicator.size(), input.count / ranks);
  Collective collective{.operation = Operation::alltoall,
                        .type = input.type,
                        .count = input.count,
                        .equal_blocks = true,
                        .input_blocks = blocks,
                        .output_blocks = blocks};
  return {communicator, std::move(collective), input.data, output.data};
}

}  // namespace

void alltoall(const Communicator& communicator, ConstBuffer input, Buffer output) {
  alltoall_call(communicator, input, output).run();
}

Request start_alltoall(const Communicator& communicator, ConstBuffer input, Buffer output,
                       OnStream after) {
  return alltoall_call(communicator, input, output).start(after);
}

CollectivePlan plan_alltoall(const Communicator& communicator, ConstBuffer input, Buffer output) {
  return alltoall_call(communicator, input, output).plan();
}

void alltoallv(const Communicator& communicator, ConstBuffer input, Blocks send, Buffer output,
               Blocks receive) {
  alltoall_call(communicator, input, send, output, receive).run();
}

Request start_alltoallv(const Communicator& communicator, ConstBuffer input, Blocks send,
                        Buffer output, Blocks receive, OnStream after) {
  return alltoall_call(communicator, input, send, output, receive).start(after);
}

CollectivePlan plan_alltoallv(const Communicator& communicator, ConstBuffer input, Blocks send,
                              Buffer output, Blocks receive) {
  return alltoall_call(communicator, input, send, output, receive).plan();
}

}  // namespace cuboid
