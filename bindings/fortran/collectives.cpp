#include "bindings/c/handles.hpp"
#include "bindings/c/in_form.hpp"
#include "bindings/fortran/arrays.hpp"

// The collectives as Fortran calls them: sizes and types come from the arrays. With a request the
// call is started; with a plan it is planned.

using namespace cuboid::detail::fortran;

namespace {

using Descriptor = const CFI_cdesc_t*;
using Counts = const std::size_t*;

/// The number of elements in a rank's block, from the size of the array that holds one block.
std::size_t block(const Array& whole, const Array& part, std::size_t ranks) {
  return part.in_place() ? whole.count / ranks : part.count;
}

const Array& typed(const Array& one, const Array& other) {
  return one.in_place() ? other : one;
}

std::span<const std::size_t> per_rank(Counts counts, cuboid_communicator communicator) {
  return {counts, size_of(communicator)};
}

/// The numbers of blocks that come and go; none where there is no neighbourhood, which the call
/// itself refuses.
std::size_t sources_of(cuboid_neighbourhood handle) {
  return handle == nullptr ? 0 : handle->neighbourhood.sources().size();
}
std::size_t destinations_of(cuboid_neighbourhood handle) {
  return handle == nullptr ? 0 : handle->neighbourhood.destinations().size();
}

}  // namespace

#define CUBOID_LIST(...) __VA_ARGS__
/// A collective for Fortran: its own parameters, and its body, which returns a code.
#define CUBOID_FORTRAN(name, parameters, ...)                                       \
  extern "C" CUBOID_API void cuboid_fortran_##name(                                 \
      CUBOID_LIST parameters, const cuboid_communicator* communicator, int* ierror, \
      cuboid_request* request, cuboid_plan* plan) {                                 \
    const cuboid::detail::Form form{request, plan};                                 \
    call(ierror, [&] { __VA_ARGS__ });                                              \
  }

extern "C" CUBOID_API void cuboid_fortran_barrier(const cuboid_communicator* communicator,
                                                  int* ierror, cuboid_request* request,
                                                  cuboid_plan* plan) {
  const cuboid::detail::Form form{request, plan};
  call(ierror, [&] { return CUBOID_IN_FORM(form, barrier, *communicator); });
}

CUBOID_FORTRAN(broadcast, (Descriptor buffer, const int* root), {
  const Array array = array_of(buffer);
  return CUBOID_IN_FORM(form, broadcast, array.data, array.count, array.type, *root, *communicator);
})

CUBOID_FORTRAN(reduce,
               (Descriptor input, Descriptor output, const cuboid_reduction* reduction,
                const int* root),
               {
                 const Array in = as_combined_by(array_of(input), *reduction);
                 const bool is_root = is_rank(*communicator, *root);
                 const Array out = is_root ? as_combined_by(array_of(output), *reduction)
                                           : Array{nullptr, in.count, in.type};
                 require_same_type(in, out);
                 require_room(out, in.count, "the output");
                 const Array& shape = typed(in, out);
                 return CUBOID_IN_FORM(form, reduce, in.data, out.data, shape.count, shape.type,
                                       *reduction, *root, *communicator);
               })

/// All-reduce and the scans have the same parameters.
#define CUBOID_FORTRAN_ALL(name)                                                                   \
  CUBOID_FORTRAN(name, (Descriptor input, Descriptor output, const cuboid_reduction* reduction), { \
    const Array in = as_combined_by(array_of(input), *reduction);                                  \
    const Array out = as_combined_by(array_of(output), *reduction);                                \
    require_same_type(in, out);                                                                    \
    require_room(out, in.count, "the output");                                                     \
    const Array& shape = typed(in, out);                                                           \
    return CUBOID_IN_FORM(form, name, in.data, out.data, shape.count, shape.type, *reduction,      \
                          *communicator);                                                          \
  })
CUBOID_FORTRAN_ALL(allreduce)
CUBOID_FORTRAN_ALL(scan)
CUBOID_FORTRAN_ALL(exscan)

CUBOID_FORTRAN(reduce_scatter,
               (Descriptor input, Descriptor output, const cuboid_reduction* reduction), {
                 const Array in = as_combined_by(array_of(input), *reduction);
                 const Array out = as_combined_by(array_of(output), *reduction);
                 const std::size_t ranks = size_of(*communicator);
                 const std::size_t count = block(in, out, ranks);
                 require_same_type(in, out);
                 require_room(in, count * ranks, "the input");
                 return CUBOID_IN_FORM(form, reduce_scatter, in.data, out.data, count, in.type,
                                       *reduction, *communicator);
               })

CUBOID_FORTRAN(reduce_scatterv,
               (Descriptor input, Descriptor output, Counts counts,
                const cuboid_reduction* reduction),
               {
                 const Array in = as_combined_by(array_of(input), *reduction);
                 const Array out = as_combined_by(array_of(output), *reduction);
                 const auto all = per_rank(counts, *communicator);
                 require_same_type(in, out);
                 require_room(in, extent(all, nullptr), "the input");
                 return CUBOID_IN_FORM(form, reduce_scatterv, in.data, out.data, counts, in.type,
                                       *reduction, *communicator);
               })

CUBOID_FORTRAN(allgather, (Descriptor input, Descriptor output), {
  const Array in = array_of(input);
  const Array out = array_of(output);
  const std::size_t ranks = size_of(*communicator);
  const std::size_t count = block(out, in, ranks);
  require_same_type(in, out);
  require_room(out, count * ranks, "the output");
  return CUBOID_IN_FORM(form, allgather, in.data, count, out.type, out.data, *communicator);
})

CUBOID_FORTRAN(allgatherv,
               (Descriptor input, Descriptor output, Counts counts, Counts displacements), {
                 const Array in = array_of(input);
                 const Array out = array_of(output);
                 require_same_type(in, out);
                 require_room(out, extent(per_rank(counts, *communicator), displacements),
                              "the output");
                 return CUBOID_IN_FORM(form, allgatherv, in.data, out.type, out.data, counts,
                                       displacements, *communicator);
               })

CUBOID_FORTRAN(gather, (Descriptor input, Descriptor output, const int* root), {
  const Array in = array_of(input);
  const bool is_root = is_rank(*communicator, *root);
  const std::size_t ranks = size_of(*communicator);
  const Array out = is_root ? array_of(output) : Array{nullptr, in.count * ranks, in.type};
  const std::size_t count = block(out, in, ranks);
  require_same_type(in, out);
  require_room(out, count * ranks, "the output");
  return CUBOID_IN_FORM(form, gather, in.data, count, out.type, out.data, *root, *communicator);
})

CUBOID_FORTRAN(
    gatherv,
    (Descriptor input, Descriptor output, Counts counts, Counts displacements, const int* root), {
      const Array in = array_of(input);
      const bool is_root = is_rank(*communicator, *root);
      const Array out = is_root ? array_of(output) : Array{nullptr, 0, in.type};
      require_same_type(in, out);
      if (is_root)
        require_room(out, extent(per_rank(counts, *communicator), displacements), "the output");
      const std::size_t count = in.in_place() ? counts[*root] : in.count;
      return CUBOID_IN_FORM(form, gatherv, in.data, count, out.type, out.data, counts,
                            displacements, *root, *communicator);
    })

CUBOID_FORTRAN(scatter, (Descriptor input, Descriptor output, const int* root), {
  const Array out = array_of(output);
  const bool is_root = is_rank(*communicator, *root);
  const std::size_t ranks = size_of(*communicator);
  const Array in = is_root ? array_of(input) : Array{nullptr, out.count * ranks, out.type};
  const std::size_t count = block(in, out, ranks);
  require_same_type(in, out);
  require_room(in, count * ranks, "the input");
  return CUBOID_IN_FORM(form, scatter, in.data, out.data, count, in.type, *root, *communicator);
})

CUBOID_FORTRAN(
    scatterv,
    (Descriptor input, Counts counts, Counts displacements, Descriptor output, const int* root), {
      const Array out = array_of(output);
      const bool is_root = is_rank(*communicator, *root);
      const Array in = is_root ? array_of(input) : Array{nullptr, 0, out.type};
      require_same_type(in, out);
      if (is_root)
        require_room(in, extent(per_rank(counts, *communicator), displacements), "the input");
      const std::size_t count = out.in_place() ? counts[*root] : out.count;
      return CUBOID_IN_FORM(form, scatterv, in.data, counts, displacements, out.data, count,
                            in.type, *root, *communicator);
    })

CUBOID_FORTRAN(alltoall, (Descriptor input, Descriptor output), {
  const Array in = array_of(input);
  const Array out = array_of(output);
  require_same_type(in, out);
  require_room(out, in.count, "the output");
  return CUBOID_IN_FORM(form, alltoall, in.data, out.data, in.count / size_of(*communicator),
                        in.type, *communicator);
})

CUBOID_FORTRAN(alltoallv,
               (Descriptor input, Counts input_counts, Counts input_displacements,
                Descriptor output, Counts output_counts, Counts output_displacements),
               {
                 const Array in = array_of(input);
                 const Array out = array_of(output);
                 require_same_type(in, out);
                 require_room(in,
                              extent(per_rank(input_counts, *communicator), input_displacements),
                              "the input");
                 require_room(out,
                              extent(per_rank(output_counts, *communicator), output_displacements),
                              "the output");
                 return CUBOID_IN_FORM(form, alltoallv, in.data, input_counts, input_displacements,
                                       out.data, output_counts, output_displacements, in.type,
                                       *communicator);
               })

CUBOID_FORTRAN(neighbour_allgather,
               (Descriptor input, Descriptor output, const cuboid_neighbourhood* neighbourhood), {
                 const Array in = array_of(input);
                 const Array out = array_of(output);
                 require_same_type(in, out);
                 require_room(out, in.count * sources_of(*neighbourhood), "the output");
                 return CUBOID_IN_FORM(form, neighbour_allgather, in.data, in.count, in.type,
                                       out.data, *neighbourhood, *communicator);
               })

CUBOID_FORTRAN(neighbour_alltoall,
               (Descriptor input, Descriptor output, const std::size_t* count,
                const cuboid_neighbourhood* neighbourhood),
               {
                 const Array in = array_of(input);
                 const Array out = array_of(output);
                 require_same_type(in, out);
                 require_room(in, *count * destinations_of(*neighbourhood), "the input");
                 require_room(out, *count * sources_of(*neighbourhood), "the output");
                 return CUBOID_IN_FORM(form, neighbour_alltoall, in.data, out.data, *count, in.type,
                                       *neighbourhood, *communicator);
               })

CUBOID_FORTRAN(neighbour_alltoallv,
               (Descriptor input, Counts input_counts, Counts input_displacements,
                Descriptor output, Counts output_counts, Counts output_displacements,
                const cuboid_neighbourhood* neighbourhood),
               {
                 const Array in = array_of(input);
                 const Array out = array_of(output);
                 require_same_type(in, out);
                 const std::span sent(input_counts, destinations_of(*neighbourhood));
                 const std::span received(output_counts, sources_of(*neighbourhood));
                 require_room(in, extent(sent, input_displacements), "the input");
                 require_room(out, extent(received, output_displacements), "the output");
                 return CUBOID_IN_FORM(form, neighbour_alltoallv, in.data, input_counts,
                                       input_displacements, out.data, output_counts,
                                       output_displacements, in.type, *neighbourhood,
                                       *communicator);
               })

CUBOID_FORTRAN(send, (Descriptor message, const int* destination, const int* number), {
  const Array array = array_of(message);
  return CUBOID_IN_FORM(form, send, array.data, array.count, array.type, *destination, *number,
                        *communicator);
})

CUBOID_FORTRAN(receive, (Descriptor message, const int* source, const int* number), {
  const Array array = array_of(message);
  return CUBOID_IN_FORM(form, receive, array.data, array.count, array.type, *source, *number,
                        *communicator);
})

CUBOID_FORTRAN(exchange,
               (Descriptor outgoing, const int* destination, Descriptor incoming, const int* source,
                const int* number),
               {
                 const Array out = array_of(outgoing);
                 const Array in = array_of(incoming);
                 require_same_type(in, out);
                 return CUBOID_IN_FORM(form, exchange, out.data, out.count, *destination, in.data,
                                       in.count, *source, in.type, *number, *communicator);
               })
