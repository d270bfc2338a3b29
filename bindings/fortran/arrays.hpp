#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include <ISO_Fortran_binding.h>
#include <cuboid.h>

/// Fortran's CUBOID_IN_PLACE: known by its address. A program may hold a copy of its own, so it is
/// never hidden.
extern "C" CUBOID_API int cuboid_fortran_in_place;

namespace cuboid::detail::fortran {

/// Arguments that cannot be served; nothing was done.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A contiguous array or scalar of the caller's.
struct Array {
  void* data;
  std::size_t count;
  cuboid_datatype type;

  bool in_place() const { return data == CUBOID_IN_PLACE; }
};

/// What a descriptor describes. Throws Refused for arrays with gaps, and for those without a size.
Array array_of(const CFI_cdesc_t* descriptor);

/// The datatype of its elements: its size for a type of the program's own.
cuboid_datatype type_of(const CFI_cdesc_t& descriptor);

/// Throws Refused where two arrays of a call are of different types.
void require_same_type(const Array& input, const Array& output);

/// As an operation sees it: for the least or greatest and where it is, numbers are pairs of a value
/// and its index, one behind the other. Throws Refused where one is left over.
Array as_combined_by(Array array, cuboid_reduction reduction);

/// Throws Refused where an array has fewer than so many elements.
void require_room(const Array& array, std::size_t count, const char* name);

/// Elements from the first to the end of the last block.
std::size_t extent(std::span<const std::size_t> counts, const std::size_t* displacements);

std::size_t size_of(cuboid_communicator communicator);
bool is_rank(cuboid_communicator communicator, int rank);

/// Sets *ierror to a code; without it an error ends the program with its text, as in MPI.
void report(int code, const std::string& message, int* ierror) noexcept;

/// Runs a function's body, which returns a code, and reports.
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
