#pragma once

#include "bindings/c/array_call.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>

#include <ISO_Fortran_binding.h>
#include <cuboid.h>

/// Fortran's CUBOID_IN_PLACE, which is recognised by its address. It is never hidden, because a
/// program may hold a copy of it.
extern "C" CUBOID_API int cuboid_fortran_in_place;

namespace cuboid::detail::fortran {

/// The error for arguments that cannot be served; nothing was done.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A contiguous array or scalar of the caller.
using c::Array;

/// The array that a descriptor describes. Throws Refused for arrays with gaps or without a known
/// size.
Array array_of(const CFI_cdesc_t* descriptor);

/// The datatype of the array's elements; for a user-defined type, its size.
cuboid_datatype type_of(const CFI_cdesc_t& descriptor);

/// The array as an operation sees it: for minimum and maximum with location, numbers are adjacent
/// pairs of a value and its index. Throws Refused if the number of elements is odd.
Array as_combined_by(Array array, cuboid_reduction reduction);

/// Throws Refused unless an array has so many blocks of `count` elements.
void require_blocks(const Array& array, std::size_t blocks, std::size_t count, const char* name);

std::size_t size_of(cuboid_communicator communicator);
bool is_rank(cuboid_communicator communicator, int rank);

/// Sets *ierror to a code. Without ierror, an error ends the program with its text, as in MPI.
void report(int code, const std::string& message, int* ierror) noexcept;

/// Runs a function's body, which returns a code, and reports the code.
template <class Body>
void call(int* ierror, const Body& body) noexcept {
  try {
    const int code = body();
    report(code, code == CUBOID_SUCCESS ? "" : cuboid_error_message(), ierror);
  } catch (const std::exception& error) {
    report(CUBOID_INVALID_ARGUMENT, error.what(), ierror);
  }
}

}  // namespace cuboid::detail::fortran

#define CUBOID_LIST(...) __VA_ARGS__
/// A function for Fortran: its parameters, and the arguments of the C function.
#define CUBOID_FORTRAN(name, parameters, arguments)                                       \
  extern "C" CUBOID_API void cuboid_fortran_##name(CUBOID_LIST parameters, int* ierror) { \
    call(ierror, [&] { return cuboid_##name(CUBOID_LIST arguments); });                   \
  }
