#pragma once

#include <type_traits>

#include <mpi.h>

// Open MPI's Fortran subroutines call PMPI_ functions themselves, so the drop-in must replace them
// as well: those of mpif.h and `use mpi` under all spellings that compilers use, and ompi_…_f,
// which `use mpi_f08` calls. A side that is MPI_IN_PLACE or MPI_BOTTOM has the address of a Fortran
// variable, of which the executable may have its own copy; the drop-in therefore refers to these
// variables and does not define them.

extern "C" {
extern int mpi_fortran_in_place_ __attribute__((weak));
extern int mpi_fortran_bottom_ __attribute__((weak));
}

namespace cuboid::detail::drop_in {

static_assert(std::is_same_v<MPI_Fint, int>, "arrays of counts are passed on without conversion");

inline void* address(void* buffer) {
  if (buffer != nullptr && buffer == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (buffer != nullptr && buffer == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return buffer;
}

inline void answer(MPI_Fint* error, int code) {
  if (error != nullptr) *error = code;
}

inline void answer(MPI_Fint* error, int code, MPI_Fint* handle, MPI_Request request) {
  if (code == MPI_SUCCESS) *handle = PMPI_Request_c2f(request);
  answer(error, code);
}

}  // namespace cuboid::detail::drop_in

#define CUBOID_EXPORT extern "C" __attribute__((visibility("default")))

#define CUBOID_SPELLING(function, spelling) \
  CUBOID_EXPORT __attribute__((alias(#function))) decltype(function) spelling
/// The other names of a subroutine, e.g. of ompi_bcast_f: mpi_bcast, MPI_Bcast, MPI_BCAST.
#define CUBOID_SPELLINGS_OF(function, lower, Mixed, UPPER) \
  CUBOID_SPELLING(function, lower);                        \
  CUBOID_SPELLING(function, lower##_);                     \
  CUBOID_SPELLING(function, lower##__);                    \
  CUBOID_SPELLING(function, UPPER);                        \
  CUBOID_SPELLING(function, Mixed##_f);                    \
  CUBOID_SPELLING(function, Mixed##_f08)
#define CUBOID_SPELLINGS(name, Name, NAME) \
  CUBOID_SPELLINGS_OF(ompi_##name##_f, mpi_##name, MPI_##Name, MPI_##NAME)
