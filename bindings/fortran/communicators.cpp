#include "bindings/fortran/arrays.hpp"

// Communicators, topology, requests, plans, windows and neighbours as Fortran calls them: by
// reference, with an optional error code at the end.

using namespace cuboid::detail::fortran;

namespace {

std::string text_of(const CFI_cdesc_t* characters) {
  return {static_cast<const char*>(characters->base_addr), characters->elem_len};
}

/// Window calls take bytes.
struct Bytes {
  explicit Bytes(const CFI_cdesc_t* descriptor)
      : data(const_cast<void*>(array_of(descriptor).data)),
        count(array_of(descriptor).count * descriptor->elem_len) {}
  void* data;
  std::size_t count;
};

}  // namespace

#define CUBOID_LIST(...) __VA_ARGS__
/// A function for Fortran: its parameters, and the arguments of the C function.
#define CUBOID_FORTRAN(name, parameters, arguments)                                       \
  extern "C" CUBOID_API void cuboid_fortran_##name(CUBOID_LIST parameters, int* ierror) { \
    call(ierror, [&] { return cuboid_##name(CUBOID_LIST arguments); });                   \
  }

CUBOID_FORTRAN(communicator_create,
               (const int* rank, const int* size, const cuboid_exchange_function* exchange,
                void* const* context, cuboid_communicator* made),
               (*rank, *size, *exchange, *context, made))
CUBOID_FORTRAN(communicator_from_mpi_fortran, (const int* from, cuboid_communicator* made),
               (*from, made))
CUBOID_FORTRAN(communicator_from_pmix, (cuboid_communicator * made), (made))
CUBOID_FORTRAN(communicator_free, (cuboid_communicator * communicator), (communicator))
CUBOID_FORTRAN(communicator_rank, (const cuboid_communicator* communicator, int* rank),
               (*communicator, rank))
CUBOID_FORTRAN(communicator_size, (const cuboid_communicator* communicator, int* size),
               (*communicator, size))
CUBOID_FORTRAN(communicator_split,
               (const cuboid_communicator* communicator, const int* colour, const int* key,
                cuboid_communicator* part),
               (*communicator, *colour, *key, part))
CUBOID_FORTRAN(communicator_duplicate,
               (const cuboid_communicator* communicator, cuboid_communicator* made),
               (*communicator, made))
CUBOID_FORTRAN(communicator_shrink,
               (const cuboid_communicator* communicator, cuboid_communicator* made),
               (*communicator, made))
CUBOID_FORTRAN(communicator_with_algorithms,
               (const cuboid_communicator* communicator, const CFI_cdesc_t* rules,
                cuboid_communicator* made),
               (*communicator, text_of(rules).c_str(), made))
CUBOID_FORTRAN(communicator_revoke,
               (const cuboid_communicator* communicator, const CFI_cdesc_t* reason),
               (*communicator, text_of(reason).c_str()))
CUBOID_FORTRAN(communicator_progress, (const cuboid_communicator* communicator), (*communicator))
CUBOID_FORTRAN(communicator_traffic,
               (const cuboid_communicator* communicator, const int* peer, cuboid_traffic* traffic),
               (*communicator, *peer, traffic))

namespace {

struct Body {
  void (*run)(const cuboid_communicator*, void* const*, int*);
  void* context;
};

int run_body(cuboid_communicator communicator, void* context) {
  const auto& body = *static_cast<const Body*>(context);
  int code = CUBOID_SUCCESS;
  body.run(&communicator, &body.context, &code);
  return code;
}

}  // namespace

extern "C" CUBOID_API void cuboid_fortran_run_ranks(const int* ranks,
                                                    void (*body)(const cuboid_communicator*,
                                                                 void* const*, int*),
                                                    void* const* context, int* ierror) {
  Body with{body, *context};
  call(ierror, [&] { return cuboid_run_ranks(*ranks, &run_body, &with); });
}

CUBOID_FORTRAN(topology_shape,
               (const cuboid_communicator* communicator, int* dimensions, int* extents, int* wraps),
               (*communicator, dimensions, extents, wraps))
CUBOID_FORTRAN(topology_coordinate,
               (const cuboid_communicator* communicator, const int* rank, int* coordinate),
               (*communicator, *rank, coordinate))
CUBOID_FORTRAN(topology_line,
               (const cuboid_communicator* communicator, const int* axis,
                cuboid_communicator* line),
               (*communicator, *axis, line))
CUBOID_FORTRAN(topology_same_node,
               (const cuboid_communicator* communicator, const int* rank, int* same),
               (*communicator, *rank, same))

CUBOID_FORTRAN(wait, (cuboid_request * request), (request))
CUBOID_FORTRAN(wait_all, (const std::size_t* count, cuboid_request* requests), (*count, requests))
CUBOID_FORTRAN(test, (cuboid_request * request, int* complete), (request, complete))
CUBOID_FORTRAN(plan_start, (const cuboid_plan* plan, cuboid_request* request), (*plan, request))
CUBOID_FORTRAN(plan_run, (const cuboid_plan* plan), (*plan))
CUBOID_FORTRAN(plan_free, (cuboid_plan * plan), (plan))

CUBOID_FORTRAN(reduction_create,
               (const cuboid_combine_function* combine, void* const* context,
                const int* commutative, cuboid_reduction* reduction),
               (*combine, *context, *commutative, reduction))
CUBOID_FORTRAN(reduction_free, (cuboid_reduction * reduction), (reduction))

CUBOID_FORTRAN(neighbourhood_graph,
               (const std::size_t* sources, const int* source_ranks,
                const std::size_t* destinations, const int* destination_ranks,
                cuboid_neighbourhood* made),
               (*sources, source_ranks, *destinations, destination_ranks, made))
CUBOID_FORTRAN(neighbourhood_grid,
               (const int* dimensions, const int* extents, const int* wraps, const int* rank,
                cuboid_neighbourhood* made),
               (*dimensions, extents, wraps, *rank, made))
CUBOID_FORTRAN(neighbourhood_free, (cuboid_neighbourhood * neighbourhood), (neighbourhood))

CUBOID_FORTRAN(window_create,
               (const std::size_t* bytes, const cuboid_communicator* communicator,
                cuboid_window* window),
               (*bytes, *communicator, window))
CUBOID_FORTRAN(window_free, (cuboid_window * window), (window))
CUBOID_FORTRAN(window_memory, (const cuboid_window* window, void** memory, std::size_t* bytes),
               (*window, memory, bytes))
CUBOID_FORTRAN(window_put,
               (const CFI_cdesc_t* mine, const int* peer, const std::size_t* offset,
                const cuboid_window* window),
               (Bytes(mine).data, Bytes(mine).count, *peer, *offset, *window))
CUBOID_FORTRAN(window_get,
               (const CFI_cdesc_t* mine, const int* peer, const std::size_t* offset,
                const cuboid_window* window),
               (Bytes(mine).data, Bytes(mine).count, *peer, *offset, *window))
CUBOID_FORTRAN(window_flush, (const cuboid_window* window), (*window))
CUBOID_FORTRAN(window_fence, (const cuboid_window* window), (*window))
