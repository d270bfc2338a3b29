#include "bindings/c/handles.hpp"
#include "bindings/fortran/arrays.hpp"

// The collectives as Fortran calls them: sizes and types come from the arrays. With a request the
// call is started; with a plan it is planned.

using namespace cuboid::detail::fortran;
using cuboid::detail::c::ArrayCall;
using cuboid::detail::c::ArrayCallForm;
using cuboid::detail::c::CountList;
using ArrayOperation = ArrayCall::ArrayOperation;

namespace {

using Descriptor = const CFI_cdesc_t*;
using Counts = const std::size_t*;

CountList per_rank(Counts numbers, cuboid_communicator communicator) {
  return {numbers, size_of(communicator)};
}

/// A list of a number per neighbour; none where there is no neighbourhood, which the call refuses.
CountList per_source(Counts numbers, cuboid_neighbourhood handle) {
  return {numbers, handle == nullptr ? 0 : handle->neighbourhood.sources().size()};
}
CountList per_destination(Counts numbers, cuboid_neighbourhood handle) {
  return {numbers, handle == nullptr ? 0 : handle->neighbourhood.destinations().size()};
}

}  // namespace

/// A collective for Fortran: its own parameters (each followed by a comma), and statements that
/// return the ArrayCall.
#define CUBOID_COLLECTIVE(name, parameters, ...)                                   \
  extern "C" CUBOID_API void cuboid_fortran_##name(                                \
      CUBOID_LIST parameters const cuboid_communicator* communicator, int* ierror, \
      cuboid_request* request, cuboid_plan* plan) {                                \
    const ArrayCallForm form{request, plan};                                       \
    call(ierror, [&] {                                                             \
      const ArrayCall described = [&]() -> ArrayCall { __VA_ARGS__ }();            \
      return cuboid_call_on_arrays(&described, *communicator, &form);              \
    });                                                                            \
  }

CUBOID_COLLECTIVE(barrier, (), { return {.operation = ArrayOperation::barrier}; })

CUBOID_COLLECTIVE(broadcast, (Descriptor buffer, const int* root, ), {
  return {.operation = ArrayOperation::broadcast, .output = array_of(buffer), .root = *root};
})

CUBOID_COLLECTIVE(reduce,
                  (Descriptor input, Descriptor output, const cuboid_reduction* reduction,
                   const int* root, ),
                  {
                    ArrayCall described = {.operation = ArrayOperation::reduce,
                                           .input = as_combined_by(array_of(input), *reduction),
                                           .reduction = *reduction,
                                           .root = *root};
                    if (is_rank(*communicator, *root))
                      described.output = as_combined_by(array_of(output), *reduction);
                    return described;
                  })

/// All-reduce, the scans and reduce-scatter have the same parameters.
#define CUBOID_COMBINE(name)                                                                      \
  CUBOID_COLLECTIVE(name,                                                                         \
                    (Descriptor input, Descriptor output, const cuboid_reduction* reduction, ), { \
                      return {.operation = ArrayOperation::name,                                  \
                              .input = as_combined_by(array_of(input), *reduction),               \
                              .output = as_combined_by(array_of(output), *reduction),             \
                              .reduction = *reduction};                                           \
                    })
CUBOID_COMBINE(allreduce)
CUBOID_COMBINE(scan)
CUBOID_COMBINE(exscan)
CUBOID_COMBINE(reduce_scatter)

CUBOID_COLLECTIVE(reduce_scatterv,
                  (Descriptor input, Descriptor output, Counts counts,
                   const cuboid_reduction* reduction, ),
                  {
                    return {.operation = ArrayOperation::reduce_scatter,
                            .input = as_combined_by(array_of(input), *reduction),
                            .output = as_combined_by(array_of(output), *reduction),
                            .input_counts = per_rank(counts, *communicator),
                            .reduction = *reduction};
                  })

CUBOID_COLLECTIVE(allgather, (Descriptor input, Descriptor output, ), {
  return {
      .operation = ArrayOperation::allgather, .input = array_of(input), .output = array_of(output)};
})

CUBOID_COLLECTIVE(allgatherv,
                  (Descriptor input, Descriptor output, Counts counts, Counts displacements, ), {
                    return {.operation = ArrayOperation::allgather,
                            .input = array_of(input),
                            .output = array_of(output),
                            .output_counts = per_rank(counts, *communicator),
                            .output_displacements = per_rank(displacements, *communicator)};
                  })

CUBOID_COLLECTIVE(gather, (Descriptor input, Descriptor output, const int* root, ), {
  ArrayCall described = {
      .operation = ArrayOperation::gather, .input = array_of(input), .root = *root};
  if (is_rank(*communicator, *root)) described.output = array_of(output);
  return described;
})

CUBOID_COLLECTIVE(
    gatherv,
    (Descriptor input, Descriptor output, Counts counts, Counts displacements, const int* root, ), {
      ArrayCall described = {
          .operation = ArrayOperation::gather, .input = array_of(input), .root = *root};
      if (!is_rank(*communicator, *root)) return described;
      described.output = array_of(output);
      described.output_counts = per_rank(counts, *communicator);
      described.output_displacements = per_rank(displacements, *communicator);
      return described;
    })

CUBOID_COLLECTIVE(scatter, (Descriptor input, Descriptor output, const int* root, ), {
  ArrayCall described = {
      .operation = ArrayOperation::scatter, .output = array_of(output), .root = *root};
  if (is_rank(*communicator, *root)) described.input = array_of(input);
  return described;
})

CUBOID_COLLECTIVE(
    scatterv,
    (Descriptor input, Counts counts, Counts displacements, Descriptor output, const int* root, ), {
      ArrayCall described = {
          .operation = ArrayOperation::scatter, .output = array_of(output), .root = *root};
      if (!is_rank(*communicator, *root)) return described;
      described.input = array_of(input);
      described.input_counts = per_rank(counts, *communicator);
      described.input_displacements = per_rank(displacements, *communicator);
      return described;
    })

CUBOID_COLLECTIVE(alltoall, (Descriptor input, Descriptor output, ), {
  return {
      .operation = ArrayOperation::alltoall, .input = array_of(input), .output = array_of(output)};
})

CUBOID_COLLECTIVE(alltoallv,
                  (Descriptor input, Counts input_counts, Counts input_displacements,
                   Descriptor output, Counts output_counts, Counts output_displacements, ),
                  {
                    return {.operation = ArrayOperation::alltoall,
                            .input = array_of(input),
                            .output = array_of(output),
                            .input_counts = per_rank(input_counts, *communicator),
                            .input_displacements = per_rank(input_displacements, *communicator),
                            .output_counts = per_rank(output_counts, *communicator),
                            .output_displacements = per_rank(output_displacements, *communicator)};
                  })

CUBOID_COLLECTIVE(neighbour_allgather,
                  (Descriptor input, Descriptor output,
                   const cuboid_neighbourhood* neighbourhood, ),
                  {
                    return {.operation = ArrayOperation::neighbour_allgather,
                            .input = array_of(input),
                            .output = array_of(output),
                            .neighbourhood = *neighbourhood};
                  })

CUBOID_COLLECTIVE(neighbour_alltoall,
                  (Descriptor input, Descriptor output, const std::size_t* count,
                   const cuboid_neighbourhood* neighbourhood, ),
                  {
                    const ArrayCall described = {.operation = ArrayOperation::neighbour_alltoall,
                                                 .input = array_of(input),
                                                 .output = array_of(output),
                                                 .neighbourhood = *neighbourhood};
                    require_blocks(described.input, per_destination(nullptr, *neighbourhood).count,
                                   *count, "the input");
                    return described;
                  })

CUBOID_COLLECTIVE(neighbour_alltoallv,
                  (Descriptor input, Counts input_counts, Counts input_displacements,
                   Descriptor output, Counts output_counts, Counts output_displacements,
                   const cuboid_neighbourhood* neighbourhood, ),
                  {
                    return {
                        .operation = ArrayOperation::neighbour_alltoall,
                        .input = array_of(input),
                        .output = array_of(output),
                        .input_counts = per_destination(input_counts, *neighbourhood),
                        .input_displacements = per_destination(input_displacements, *neighbourhood),
                        .output_counts = per_source(output_counts, *neighbourhood),
                        .output_displacements = per_source(output_displacements, *neighbourhood),
                        .neighbourhood = *neighbourhood};
                  })

CUBOID_COLLECTIVE(send, (Descriptor message, const int* destination, const int* number, ), {
  return {.operation = ArrayOperation::send,
          .input = array_of(message),
          .root = *destination,
          .number = *number};
})

CUBOID_COLLECTIVE(receive, (Descriptor message, const int* source, const int* number, ), {
  return {.operation = ArrayOperation::receive,
          .output = array_of(message),
          .source = *source,
          .number = *number};
})

CUBOID_COLLECTIVE(exchange,
                  (Descriptor outgoing, const int* destination, Descriptor incoming,
                   const int* source, const int* number, ),
                  {
                    return {.operation = ArrayOperation::exchange,
                            .input = array_of(outgoing),
                            .output = array_of(incoming),
                            .root = *destination,
                            .source = *source,
                            .number = *number};
                  })
