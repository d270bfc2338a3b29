#include "base/saturating.hpp"
#include "bindings/c/array_call.hpp"
#include "bindings/c/handles.hpp"

#include <algorithm>
#include <cstddef>

// The collectives of the C interface. The lengths of buffers follow from the counts.

using namespace cuboid::detail;
using namespace cuboid::detail::c;
using cuboid::Communicator;
using cuboid::Neighbourhood;
using ArrayOperation = ArrayCall::ArrayOperation;

namespace {

std::size_t ranks_of(const Communicator& communicator) {
  return static_cast<std::size_t>(communicator.size());
}

/// A list of one number per rank or neighbour, which the caller must give.
CountList counts_of(const size_t* numbers, std::size_t blocks) {
  static constexpr std::size_t none = 0;
  return {blocks == 0 ? &none : &required(numbers, "the list of counts"), blocks};
}

Array blocks_of(const void* data, std::size_t blocks, std::size_t count, cuboid_datatype type) {
  return {data, saturating_product(blocks, count), type};
}

/// An array that ends at the end of its last block.
Array spanned(const void* data, const CountList& counts, const CountList& displacements,
              cuboid_datatype type) {
  std::size_t end = 0;
  for (std::size_t block = 0; block < counts.count; ++block) {
    const std::size_t begin = displacements.given() ? displacements.numbers[block] : end;
    end = std::max(end, saturating_sum(begin, counts.numbers[block]));
  }
  return {data, end, type};
}

template <class Describe>
int call(cuboid_communicator handle, const ArrayCallForm& form, const Describe& describe) {
  return guarded([&] {
    const Communicator& communicator = of(handle);
    ArrayCallForm with_stream = form;
    with_stream.after = stream_of(handle);
    run(describe(communicator), communicator, with_stream);
  });
}

template <class Describe>
int start(cuboid_communicator handle, cuboid_request* request, const Describe& describe) {
  if (request != nullptr) return call(handle, {.request = request}, describe);
  return guarded([] { refuse("the pointer to a request is NULL"); });
}

template <class Describe>
int plan(cuboid_communicator handle, cuboid_plan* made, const Describe& describe) {
  if (made != nullptr) return call(handle, {.plan = made}, describe);
  return guarded([] { refuse("the pointer to a plan is NULL"); });
}

}  // namespace

/// Defines the three forms of a collective, from its parameters (in parentheses, each followed by a
/// comma), and statements that return the ArrayCall.
#define CUBOID_LIST(...) __VA_ARGS__
#define CUBOID_COLLECTIVE(name, parameters, ...)                                                   \
  int cuboid_##name(CUBOID_LIST parameters cuboid_communicator handle) {                           \
    return call(handle, {}, [&]([[maybe_unused]] const Communicator& communicator) -> ArrayCall {  \
      __VA_ARGS__                                                                                  \
    });                                                                                            \
  }                                                                                                \
  int cuboid_##name##_start(CUBOID_LIST parameters cuboid_communicator handle,                     \
                            cuboid_request* request) {                                             \
    return start(                                                                                  \
        handle, request,                                                                           \
        [&]([[maybe_unused]] const Communicator& communicator) -> ArrayCall { __VA_ARGS__ });      \
  }                                                                                                \
  int cuboid_##name##_plan(CUBOID_LIST parameters cuboid_communicator handle, cuboid_plan* made) { \
    return plan(                                                                                   \
        handle, made,                                                                              \
        [&]([[maybe_unused]] const Communicator& communicator) -> ArrayCall { __VA_ARGS__ });      \
  }

CUBOID_COLLECTIVE(barrier, (), { return {.operation = ArrayOperation::barrier}; })

CUBOID_COLLECTIVE(broadcast, (void* buffer, size_t count, cuboid_datatype type, int root, ), {
  return {.operation = ArrayOperation::broadcast, .output = {buffer, count, type}, .root = root};
})

CUBOID_COLLECTIVE(reduce,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_reduction reduction, int root, ),
                  {
                    return {.operation = ArrayOperation::reduce,
                            .input = {input, count, type},
                            .output = {output, count, type},
                            .reduction = reduction,
                            .root = root};
                  })

/// All-reduce and the scans have the same parameters.
#define CUBOID_REDUCTION(name)                                                            \
  CUBOID_COLLECTIVE(name,                                                                 \
                    (const void* input, void* output, size_t count, cuboid_datatype type, \
                     cuboid_reduction reduction, ),                                       \
                    {                                                                     \
                      return {.operation = ArrayOperation::name,                          \
                              .input = {input, count, type},                              \
                              .output = {output, count, type},                            \
                              .reduction = reduction};                                    \
                    })
CUBOID_REDUCTION(allreduce)
CUBOID_REDUCTION(scan)
CUBOID_REDUCTION(exscan)

CUBOID_COLLECTIVE(reduce_scatter,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_reduction reduction, ),
                  {
                    return {.operation = ArrayOperation::reduce_scatter,
                            .input = blocks_of(input, ranks_of(communicator), count, type),
                            .output = {output, count, type},
                            .reduction = reduction};
                  })

CUBOID_COLLECTIVE(reduce_scatterv,
                  (const void* input, void* output, const size_t* counts, cuboid_datatype type,
                   cuboid_reduction reduction, ),
                  {
                    const CountList all = counts_of(counts, ranks_of(communicator));
                    const std::size_t own = counts[communicator.rank()];
                    return {.operation = ArrayOperation::reduce_scatter,
                            .input = spanned(input, all, {}, type),
                            .output = {output, own, type},
                            .input_counts = all,
                            .reduction = reduction};
                  })

CUBOID_COLLECTIVE(allgather,
                  (const void* input, size_t count, cuboid_datatype type, void* output, ), {
                    return {.operation = ArrayOperation::allgather,
                            .input = {input, count, type},
                            .output = blocks_of(output, ranks_of(communicator), count, type)};
                  })

CUBOID_COLLECTIVE(allgatherv,
                  (const void* input, cuboid_datatype type, void* output, const size_t* counts,
                   const size_t* displacements, ),
                  {
                    const CountList all = counts_of(counts, ranks_of(communicator));
                    const CountList places = {displacements, all.count};
                    const std::size_t own = counts[communicator.rank()];
                    return {.operation = ArrayOperation::allgather,
                            .input = {input, own, type},
                            .output = spanned(output, all, places, type),
                            .output_counts = all,
                            .output_displacements = places};
                  })

CUBOID_COLLECTIVE(gather,
                  (const void* input, size_t count, cuboid_datatype type, void* output, int root, ),
                  {
                    return {.operation = ArrayOperation::gather,
                            .input = {input, count, type},
                            .output = blocks_of(output, ranks_of(communicator), count, type),
                            .root = root};
                  })

CUBOID_COLLECTIVE(gatherv,
                  (const void* input, size_t count, cuboid_datatype type, void* output,
                   const size_t* counts, const size_t* displacements, int root, ),
                  {
                    ArrayCall call = {.operation = ArrayOperation::gather,
                                      .input = {input, count, type},
                                      .root = root};
                    if (communicator.rank() != root) return call;
                    call.output_counts = counts_of(counts, ranks_of(communicator));
                    call.output_displacements = {displacements, call.output_counts.count};
                    call.output =
                        spanned(output, call.output_counts, call.output_displacements, type);
                    return call;
                  })

CUBOID_COLLECTIVE(scatter,
                  (const void* input, void* output, size_t count, cuboid_datatype type, int root, ),
                  {
                    return {.operation = ArrayOperation::scatter,
                            .input = blocks_of(input, ranks_of(communicator), count, type),
                            .output = {output, count, type},
                            .root = root};
                  })

CUBOID_COLLECTIVE(scatterv,
                  (const void* input, const size_t* counts, const size_t* displacements,
                   void* output, size_t count, cuboid_datatype type, int root, ),
                  {
                    ArrayCall call = {.operation = ArrayOperation::scatter,
                                      .output = {output, count, type},
                                      .root = root};
                    if (communicator.rank() != root) return call;
                    call.input_counts = counts_of(counts, ranks_of(communicator));
                    call.input_displacements = {displacements, call.input_counts.count};
                    call.input = spanned(input, call.input_counts, call.input_displacements, type);
                    return call;
                  })

CUBOID_COLLECTIVE(alltoall, (const void* input, void* output, size_t count, cuboid_datatype type, ),
                  {
                    return {.operation = ArrayOperation::alltoall,
                            .input = blocks_of(input, ranks_of(communicator), count, type),
                            .output = blocks_of(output, ranks_of(communicator), count, type)};
                  })

namespace {

/// The lists of the blocks that are sent, or of the blocks that are received.
struct SideOfV {
  const void* data;
  const size_t* counts;
  const size_t* displacements;
};

ArrayCall v_form(ArrayOperation operation, const SideOfV& in, std::size_t destinations,
                 const SideOfV& out, std::size_t sources, cuboid_datatype type) {
  const CountList sent = counts_of(in.counts, destinations);
  const CountList received = counts_of(out.counts, sources);
  const CountList sent_places = {in.displacements, destinations};
  const CountList received_places = {out.displacements, sources};
  return {.operation = operation,
          .input = spanned(in.data, sent, sent_places, type),
          .output = spanned(out.data, received, received_places, type),
          .input_counts = sent,
          .input_displacements = sent_places,
          .output_counts = received,
          .output_displacements = received_places};
}

}  // namespace

CUBOID_COLLECTIVE(alltoallv,
                  (const void* input, const size_t* input_counts, const size_t* input_displacements,
                   void* output, const size_t* output_counts, const size_t* output_displacements,
                   cuboid_datatype type, ),
                  {
                    const std::size_t ranks = ranks_of(communicator);
                    return v_form(ArrayOperation::alltoall,
                                  {input, input_counts, input_displacements}, ranks,
                                  {output, output_counts, output_displacements}, ranks, type);
                  })

CUBOID_COLLECTIVE(neighbour_allgather,
                  (const void* input, size_t count, cuboid_datatype type, void* output,
                   cuboid_neighbourhood neighbours, ),
                  {
                    return {
                        .operation = ArrayOperation::neighbour_allgather,
                        .input = {input, count, type},
                        .output = blocks_of(output, of(neighbours).sources().size(), count, type),
                        .neighbourhood = neighbours};
                  })

CUBOID_COLLECTIVE(neighbour_alltoall,
                  (const void* input, void* output, size_t count, cuboid_datatype type,
                   cuboid_neighbourhood neighbours, ),
                  {
                    const Neighbourhood& all = of(neighbours);
                    return {.operation = ArrayOperation::neighbour_alltoall,
                            .input = blocks_of(input, all.destinations().size(), count, type),
                            .output = blocks_of(output, all.sources().size(), count, type),
                            .neighbourhood = neighbours};
                  })

CUBOID_COLLECTIVE(neighbour_alltoallv,
                  (const void* input, const size_t* input_counts, const size_t* input_displacements,
                   void* output, const size_t* output_counts, const size_t* output_displacements,
                   cuboid_datatype type, cuboid_neighbourhood neighbours, ),
                  {
                    const Neighbourhood& all = of(neighbours);
                    ArrayCall call = v_form(
                        ArrayOperation::neighbour_alltoall,
                        {input, input_counts, input_displacements}, all.destinations().size(),
                        {output, output_counts, output_displacements}, all.sources().size(), type);
                    call.neighbourhood = neighbours;
                    return call;
                  })

CUBOID_COLLECTIVE(send,
                  (const void* message, size_t count, cuboid_datatype type, int destination,
                   int number, ),
                  {
                    return {.operation = ArrayOperation::send,
                            .input = {message, count, type},
                            .root = destination,
                            .number = number};
                  })

CUBOID_COLLECTIVE(receive,
                  (void* message, size_t count, cuboid_datatype type, int source, int number, ), {
                    return {.operation = ArrayOperation::receive,
                            .output = {message, count, type},
                            .source = source,
                            .number = number};
                  })

CUBOID_COLLECTIVE(exchange,
                  (const void* outgoing, size_t outgoing_count, int destination, void* incoming,
                   size_t incoming_count, int source, cuboid_datatype type, int number, ),
                  {
                    return {.operation = ArrayOperation::exchange,
                            .input = {outgoing, outgoing_count, type},
                            .output = {incoming, incoming_count, type},
                            .root = destination,
                            .source = source,
                            .number = number};
                  })
