#include "bindings/c/array_call.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/point_to_point.hpp>

#include "base/saturating.hpp"
#include "bindings/c/handles.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

using namespace cuboid::detail;
using namespace cuboid::detail::c;
using cuboid::Blocks;
using cuboid::Buffer;
using cuboid::Communicator;
using cuboid::ConstBuffer;
using cuboid::Neighbourhood;
using ArrayOperation = ArrayCall::ArrayOperation;

namespace {

std::span<const std::size_t> list(const CountList& numbers) {
  return {numbers.numbers, numbers.given() ? numbers.count : 0};
}

/// This rank's block of an array that contains one block per rank. If lists or lengths do not fit,
/// it returns any block, because the operation refuses such arguments.
Array own_block(const Array& whole, const CountList& counts, const CountList& displacements,
                const Communicator& communicator) {
  const auto rank = static_cast<std::size_t>(communicator.rank());
  Array block{whole.data, whole.count / static_cast<std::size_t>(communicator.size()), whole.type};
  std::size_t before = rank * block.count;
  if (counts.given()) {
    const auto all = list(counts);
    before = 0;
    for (const std::size_t count : all.first(std::min(rank, all.size())))
      before = saturating_sum(before, count);
    block.count = rank < all.size() ? all[rank] : 0;
    if (displacements.given() && rank < displacements.count) before = displacements.numbers[rank];
  }
  if (whole.data == nullptr || whole.in_place() || before > whole.count) return block;
  block.data = static_cast<const std::byte*>(whole.data) + before * type_of(whole.type).bytes();
  return block;
}

/// Makes one call in one form.
class Caller {
 public:
  Caller(const ArrayCall& call, const Communicator& communicator, const ArrayCallForm& form)
      : call_(call),
        communicator_(communicator),
        form_(form),
        is_root_(communicator.rank() == call.root) {}

  void run() const;

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    c::refuse("rank " + std::to_string(communicator_.rank()) + ": " + what);
  }

  ConstBuffer reads(const Array& array) const {
    if (array.in_place())
      refuse("CUBOID_IN_PLACE where the call has no place for it; give a buffer");
    return {array.data, array.count, type_of(array.type)};
  }
  Buffer writes(const Array& array) const {
    const ConstBuffer buffer = reads(array);
    return {const_cast<void*>(buffer.data), buffer.count, buffer.type};
  }

  ConstBuffer input() const { return reads(call_.input); }
  Buffer output() const { return writes(call_.output); }
  /// The input. If it is in place, it is the output, or this rank's block of the output.
  ConstBuffer input_or_output() const {
    return reads(call_.input.in_place() ? call_.output : call_.input);
  }
  ConstBuffer input_or_block() const {
    if (!call_.input.in_place()) return input();
    return reads(
        own_block(call_.output, call_.output_counts, call_.output_displacements, communicator_));
  }
  /// The output. If it is in place, it is this rank's block of the input.
  Buffer output_or_block() const {
    if (!call_.output.in_place()) return output();
    return writes(
        own_block(call_.input, call_.input_counts, call_.input_displacements, communicator_));
  }
  /// The buffer that is not significant on this rank.
  ConstBuffer no_input() const { return {nullptr, 0, type_of(call_.output.type)}; }
  Buffer no_output() const { return {nullptr, 0, type_of(call_.input.type)}; }

  Blocks sent() const { return {list(call_.input_counts), list(call_.input_displacements)}; }
  Blocks received() const { return {list(call_.output_counts), list(call_.output_displacements)}; }
  /// True if the call is the v-form of an operation that takes counts of both sides.
  bool counts_on_both_sides() const {
    if (call_.input_counts.given() != call_.output_counts.given())
      refuse("counts of one of input and output; give those of both, or none");
    return call_.input_counts.given();
  }

  const ArrayCall& call_;
  const Communicator& communicator_;
  const ArrayCallForm& form_;
  bool is_root_;
};

/// Calls cuboid::NAME, cuboid::start_NAME or cuboid::plan_NAME.
#define CUBOID_CALL(name, ...)                                                                  \
  if (form_.request != nullptr)                                                                 \
    return give(form_.request, [&] { return cuboid::start_##name(__VA_ARGS__, form_.after); }); \
  if (form_.plan != nullptr) {                                                                  \
    give(form_.plan, [&] { return cuboid::plan_##name(__VA_ARGS__); });                         \
    (*form_.plan)->stream = form_.after;                                                        \
    return;                                                                                     \
  }                                                                                             \
  return cuboid::name(__VA_ARGS__)

void Caller::run() const {
  const Communicator& ranks = communicator_;
  const int root = call_.root;
  switch (call_.operation) {
    case ArrayOperation::barrier: CUBOID_CALL(barrier, ranks);
    case ArrayOperation::broadcast: CUBOID_CALL(broadcast, ranks, output(), root);
    case ArrayOperation::reduce: {
      const ConstBuffer in = is_root_ ? input_or_output() : input();
      const Buffer out = is_root_ ? output() : no_output();
      CUBOID_CALL(reduce, ranks, in, out, reduction_of(call_.reduction), root);
    }
    case ArrayOperation::allreduce:
      CUBOID_CALL(allreduce, ranks, input_or_output(), output(), reduction_of(call_.reduction));
    case ArrayOperation::scan:
      CUBOID_CALL(scan, ranks, input_or_output(), output(), reduction_of(call_.reduction));
    case ArrayOperation::exscan:
      CUBOID_CALL(exscan, ranks, input_or_output(), output(), reduction_of(call_.reduction));
    case ArrayOperation::reduce_scatter: {
      const ConstBuffer in = input();
      const Buffer out = output_or_block();
      const auto& reduction = reduction_of(call_.reduction);
      if (!call_.input_counts.given()) {
        CUBOID_CALL(reduce_scatter, ranks, in, out, reduction);
      }
      CUBOID_CALL(reduce_scatterv, ranks, in, out, sent().counts, reduction);
    }
    case ArrayOperation::allgather: {
      const ConstBuffer in = input_or_block();
      const Buffer out = output();
      if (!call_.output_counts.given()) {
        CUBOID_CALL(allgather, ranks, in, out);
      }
      CUBOID_CALL(allgatherv, ranks, in, out, received().counts, received().displacements);
    }
    case ArrayOperation::gather: {
      const ConstBuffer in = is_root_ ? input_or_block() : input();
      const Buffer out = is_root_ ? output() : no_output();
      if (!call_.output_counts.given()) {
        CUBOID_CALL(gather, ranks, in, out, root);
      }
      CUBOID_CALL(gatherv, ranks, in, out, received().counts, received().displacements, root);
    }
    case ArrayOperation::scatter: {
      const ConstBuffer in = is_root_ ? input() : no_input();
      const Buffer out = is_root_ ? output_or_block() : output();
      if (!call_.input_counts.given()) {
        CUBOID_CALL(scatter, ranks, in, out, root);
      }
      CUBOID_CALL(scatterv, ranks, in, sent().counts, sent().displacements, out, root);
    }
    case ArrayOperation::alltoall:
      if (counts_on_both_sides()) {
        CUBOID_CALL(alltoallv, ranks, input(), sent(), output(), received());
      }
      CUBOID_CALL(alltoall, ranks, input(), output());
    case ArrayOperation::neighbour_allgather:
      CUBOID_CALL(neighbour_allgather, ranks, of(call_.neighbourhood), input(), output());
    case ArrayOperation::neighbour_alltoall:
      if (counts_on_both_sides()) {
        CUBOID_CALL(neighbour_alltoallv, ranks, of(call_.neighbourhood), input(), sent(), output(),
                    received());
      }
      CUBOID_CALL(neighbour_alltoall, ranks, of(call_.neighbourhood), input(), output());
    case ArrayOperation::send: CUBOID_CALL(send, ranks, input(), root, call_.number);
    case ArrayOperation::receive: CUBOID_CALL(receive, ranks, output(), call_.source, call_.number);
    case ArrayOperation::exchange:
      CUBOID_CALL(exchange, ranks, input(), root, output(), call_.source, call_.number);
  }
  refuse("no such operation");
}

}  // namespace

void cuboid::detail::c::run(const ArrayCall& call, const Communicator& communicator,
                            const ArrayCallForm& form) {
  Caller(call, communicator, form).run();
}

int cuboid_call_on_arrays(const ArrayCall* call, cuboid_communicator communicator,
                          const ArrayCallForm* form) {
  return guarded([&] {
    ArrayCallForm with_stream = *form;
    with_stream.after = stream_of(communicator);
    run(*call, of(communicator), with_stream);
  });
}
