#pragma once

// waits, in this file: the program calls MPI, which waits as it does

#include "bindings/dropin/fast_pass_through.hpp"
#include "bindings/mpi/calls.hpp"
#include "bindings/mpi/freed_communicators.hpp"
#include "bindings/mpi/host_copies.hpp"
#include "bindings/mpi/serve.hpp"

#include <cstddef>

#include <mpi.h>

namespace cuboid::detail::drop_in {

// The forms of a collective, for the functions of calls.hpp. Each form serves the call that it is
// told of, or calls `native`.

template <class Native>
auto blocking(MPI_Comm comm, Native native) {
  fast_pass_through.learn();
  return [comm, native](Called called, std::size_t bytes, auto valid_here, auto make_job) {
    return serve(called, bytes, comm, valid_here, make_job, native);
  };
}

template <class Native>
auto non_blocking(MPI_Comm comm, MPI_Request* request, Native native) {
  const auto noted_native = [native] {
    note_request_handed_on();
    return native();
  };
  return [comm, request, noted_native](Called called, std::size_t bytes, auto valid_here,
                                       auto make_job) {
    return serve(called, bytes, comm, request, valid_here, make_job, noted_native);
  };
}

/// The creation of a persistent collective.
template <class Native>
auto persistent(MPI_Comm comm, MPI_Request* request, Native native) {
  return [comm, request, native](Called called, std::size_t bytes, auto valid_here, auto make_job) {
    return serve_persistent(called, bytes, comm, request, valid_here, make_job, native);
  };
}

}  // namespace cuboid::detail::drop_in
