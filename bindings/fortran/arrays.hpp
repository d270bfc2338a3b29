#pragma once

#include <cstddef>
#include <span>
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
struct Array {
  void* data;
  std::size_t count;
  cuboid_datatype type;

  bool in_place() const { return data == CUBOID_IN_PLACE; }
};

/// The array that a descriptor describes. Throws Refused for arrays with gaps or without a known
/// size.
Array array_of(const CFI_cdesc_t* descriptor);

/// The datatype of the array's elements; for a user-defined type, its size.
cuboid_datatype type_of(const CFI_cdesc_t& descriptor);

/// Throws Refused if two arrays of a call have different types.
void require_same_type(const Array& input, const Array& output);

/// The array as an operation sees it: for minimum and maximum with location, numbers are adjacent
/// pairs of a value and its index. Throws Refused if the number of elements is odd.
Array as_combined_by(Array array, cuboid_reduction reduction);

/// Throws Refused if an array has fewer than `count` elements.
void require_room(const Array& array, std::size_t count, const char* name);

/// The number of elements from the first to the end of the last block.
std::size_t extent(std::span<const std::size_t> counts, const std::size_t* displacements);

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
