#include "bindings/mpi/job.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>

#include "bindings/mpi/elements.hpp"
#include "bindings/mpi/operand.hpp"
#include "devices/memory/copy_memory.hpp"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace cuboid::detail::drop_in {

namespace {

constexpr Datatype bytes = Datatype::Kind::byte;
using SharedBlocks = std::shared_ptr<ByteBlocks>;

SharedBlocks blocks_of(const ProgramBuffer& message, const CallingRank& here) {
  return std::make_shared<ByteBlocks>(
      ByteBlocks::one(message.buffer, message.count, message.type, here.life));
}

SharedBlocks blocks_of(const MessageBlocks& message, const CallingRank& here) {
  return std::make_shared<ByteBlocks>(ByteBlocks::of(
      message.buffer, message.counts, message.displacements, message.type, here.life));
}

Elements known_elements(MPI_Op op, MPI_Datatype type) {
  if (auto elements = elements_for(op, type)) return std::move(*elements);
  throw Error(ErrorCode::invalid_argument, "a reduction that MPI does not define");
}

/// Room for a copy of memory that a call reads and overwrites.
std::shared_ptr<std::byte[]> room_for(std::size_t size) {
  return std::shared_ptr<std::byte[]>(new std::byte[size + 1]);
}

const void* source(const void* send, const void* receive) {
  return send == MPI_IN_PLACE ? receive : send;
}

using SharedOperand = std::shared_ptr<ReductionOperand>;

SharedOperand operand_of(const void* data, std::size_t count, MPI_Datatype type,
                         const Elements& elements, const CallingRank& here) {
  return std::make_shared<ReductionOperand>(const_cast<void*>(data), count, type, elements,
                                            here.life);
}

std::function<void()> storing(SharedOperand output) {
  if (!output->is_copy()) return {};
  return [output = std::move(output)] { output->store(); };
}

std::function<void()> store_all(SharedBlocks blocks) {
  return [blocks = std::move(blocks)] { blocks->store_all(); };
}

/// The whole buffer, for Cuboid's calls in place, which need exactly the same memory for input and
/// output.
ConstBuffer whole(const ByteBlocks& blocks) {
  return {blocks.data(), blocks.bytes(), bytes};
}
Buffer whole_writable(const ByteBlocks& blocks) {
  return {blocks.data(), blocks.bytes(), bytes};
}

/// This rank's block, read from the program's memory: the whole input, or for a call in place this
/// rank's block of the output.
ConstBuffer loaded(const SharedBlocks& input, const SharedBlocks& output, int rank) {
  if (input) {
    input->load_all();
    return whole(*input);
  }
  output->load(rank);
  return {output->block(rank), output->block_bytes(rank), bytes};
}

}  // namespace

Job barrier_job() {
  return {[](const Communicator& communicator) { return start_barrier(communicator); }, {}};
}

Job bcast_job(const CallingRank& here, ProgramBuffer message, int root) {
  const SharedBlocks blocks = blocks_of(message, here);
  Job job;
  job.start = [=](const Communicator& communicator) {
    if (here.rank == root) blocks->load_all();
    return start_broadcast(communicator, whole_writable(*blocks), root);
  };
  if (here.rank != root) job.finish = store_all(blocks);
  return job;
}

Job reduce_job(const CallingRank& here, const void* send, void* receive, int count,
               MPI_Datatype type, MPI_Op op, int root) {
  const Elements elements = known_elements(op, type);
  const auto number = static_cast<std::size_t>(count);
  const bool is_root = here.rank == root;
  const auto input =
      operand_of(is_root ? source(send, receive) : send, number, type, elements, here);
  const auto output =
      operand_of(is_root ? receive : nullptr, is_root ? number : 0, type, elements, here);
  return {[=](const Communicator& communicator) {
            input->load();
            return start_reduce(communicator, {input->data(), number, elements.type},
                                {output->data(), is_root ? number : 0, elements.type},
                                elements.reduction, root);
          },
          storing(output)};
}

Job combining_job(const CallingRank& here, Combining form, const void* send, void* receive,
                  int count, MPI_Datatype type, MPI_Op op) {
  const Elements elements = known_elements(op, type);
  const auto number = static_cast<std::size_t>(count);
  const auto input = operand_of(source(send, receive), number, type, elements, here);
  const bool receives = form != Combining::before || here.rank != 0;
  const auto output = receives ? operand_of(receive, number, type, elements, here) : input;
  return {[=](const Communicator& communicator) {
            input->load();
            const ConstBuffer own{input->data(), number, elements.type};
            const Buffer result{output->data(), number, elements.type};
            switch (form) {
              case Combining::before:
                return start_exscan(communicator, own, result, elements.reduction);
              case Combining::up_to_own:
                return start_scan(communicator, own, result, elements.reduction);
              case Combining::all: break;
            }
            return start_allreduce(communicator, own, result, elements.reduction);
          },
          receives ? storing(output) : std::function<void()>()};
}

/// In place, MPI's result is the first block of the buffer, whereas Cuboid's is this rank's own
/// block.
Job reduce_scatter_job(const CallingRank& here, const void* send, void* receive,
                       std::span<const int> counts, MPI_Datatype type, MPI_Op op) {
  const Elements elements = known_elements(op, type);
  const std::vector<std::size_t> numbers(counts.begin(), counts.end());
  const std::size_t all = std::accumulate(numbers.begin(), numbers.end(), std::size_t{0});
  const std::size_t own = numbers[static_cast<std::size_t>(here.rank)];
  const auto input = operand_of(source(send, receive), all, type, elements, here);
  const auto output = operand_of(receive, own, type, elements, here);
  const std::size_t size = all * elements.type.bytes();
  std::shared_ptr<std::byte[]> copy;
  if (send == MPI_IN_PLACE && !input->is_copy()) copy = room_for(size);
  return {[=](const Communicator& communicator) {
            input->load();
            if (copy && size > 0) copy_memory(receive, size, copy.get(), size, size, 1);
            const void* data = copy ? copy.get() : input->data();
            return start_reduce_scatterv(communicator, {data, all, elements.type},
                                         {output->data(), own, elements.type}, numbers,
                                         elements.reduction);
          },
          storing(output)};
}

Job allgather_job(const CallingRank& here, ProgramBuffer send, MessageBlocks receive) {
  const SharedBlocks output = blocks_of(receive, here);
  const SharedBlocks input = send.buffer == MPI_IN_PLACE ? nullptr : blocks_of(send, here);
  Job job;
  job.start = [=](const Communicator& communicator) {
    const ConstBuffer own = loaded(input, output, here.rank);
    return start_allgatherv(communicator, own, whole_writable(*output), output->counts(),
                            output->displacements());
  };
  job.finish = store_all(output);
  return job;
}

Job gather_job(const CallingRank& here, ProgramBuffer send, MessageBlocks receive, int root) {
  const bool is_root = here.rank == root;
  const SharedBlocks output = is_root ? blocks_of(receive, here) : nullptr;
  const SharedBlocks input =
      is_root && send.buffer == MPI_IN_PLACE ? nullptr : blocks_of(send, here);
  Job job;
  job.start = [=](const Communicator& communicator) {
    const ConstBuffer own = loaded(input, output, here.rank);
    const Buffer all = output ? whole_writable(*output) : Buffer{nullptr, 0, bytes};
    if (!output) return start_gatherv(communicator, own, all, {}, {}, root);
    return start_gatherv(communicator, own, all, output->counts(), output->displacements(), root);
  };
  if (output) job.finish = store_all(output);
  return job;
}

Job scatter_job(const CallingRank& here, MessageBlocks send, ProgramBuffer receive, int root) {
  const bool is_root = here.rank == root;
  const SharedBlocks input = is_root ? blocks_of(send, here) : nullptr;
  const SharedBlocks output =
      is_root && receive.buffer == MPI_IN_PLACE ? nullptr : blocks_of(receive, here);
  Job job;
  job.start = [=](const Communicator& communicator) {
    if (input) input->load_all();
    const Buffer own = output
                           ? whole_writable(*output)
                           : Buffer{input->block(here.rank), input->block_bytes(here.rank), bytes};
    const ConstBuffer all = input ? whole(*input) : ConstBuffer{nullptr, 0, bytes};
    if (!input) return start_scatterv(communicator, all, {}, {}, own, root);
    return start_scatterv(communicator, all, input->counts(), input->displacements(), own, root);
  };
  if (output) job.finish = store_all(output);
  return job;
}

Job alltoall_job(const CallingRank& here, MessageBlocks send, MessageBlocks receive,
                 bool equal_blocks) {
  const bool in_place = send.buffer == MPI_IN_PLACE;
  const SharedBlocks output = blocks_of(receive, here);
  const SharedBlocks input = in_place ? output : blocks_of(send, here);
  const std::shared_ptr<std::byte[]> copy = in_place ? room_for(output->bytes()) : nullptr;
  Job job;
  job.start = [=](const Communicator& communicator) {
    input->load_all();
    if (const std::size_t size = input->bytes(); copy && size > 0)
      copy_memory(input->data(), size, copy.get(), size, size, 1);
    const ConstBuffer all{copy ? copy.get() : input->data(), input->bytes(), bytes};
    if (equal_blocks) return start_alltoall(communicator, all, whole_writable(*output));
    return start_alltoallv(communicator, all, {input->counts(), input->displacements()},
                           whole_writable(*output), {output->counts(), output->displacements()});
  };
  job.finish = store_all(output);
  return job;
}

}  // namespace cuboid::detail::drop_in
