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

#include <cuboid_communicators.inc>  // by write_interfaces.py

CUBOID_FORTRAN(communicator_from_mpi_fortran, (const int* from, cuboid_communicator* made),
               (*from, made))

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

CUBOID_FORTRAN(window_put,
               (const CFI_cdesc_t* mine, const int* peer, const std::size_t* offset,
                const cuboid_window* window),
               (Bytes(mine).data, Bytes(mine).count, *peer, *offset, *window))
CUBOID_FORTRAN(window_get,
               (const CFI_cdesc_t* mine, const int* peer, const std::size_t* offset,
                const cuboid_window* window),
               (Bytes(mine).data, Bytes(mine).count, *peer, *offset, *window))
