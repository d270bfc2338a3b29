#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <cuboid.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace cuboid::detail::python {

namespace py = pybind11;

/// A NumPy array as Cuboid sees it: contiguous in either order, not copied.
struct Array {
  void* data;
  std::size_t count;
  cuboid_datatype type;
};

/// Throws ValueError for a strided array; array_to_write() also for one that is read-only.
Array array_to_read(const py::array& array);
Array array_to_write(const py::array& array);

/// Input and output of one call; equal memory means in place. Throws ValueError if their types
/// differ, or if one is in C's order and the other in Fortran's.
struct Sides {
  Array input;
  Array output;
};
Sides sides_of(const py::array& input, const py::array& output);
/// Throws ValueError unless the array has at least `count` elements.
void require_room(const Array& array, std::size_t count, const char* name);

/// Cuboid's type for a NumPy type; the type's size in bytes if Cuboid has no type for it.
cuboid_datatype type_of(const py::dtype& type);
/// NumPy's type for one of the four element types of matrices.
py::dtype dtype_of(cuboid_datatype type);

/// Counts or displacements by rank; nothing for None.
using Counts = std::optional<std::vector<std::size_t>>;
inline const std::size_t* pointer(const Counts& counts) {
  return counts ? counts->data() : nullptr;
}
/// Elements from the first block's begin to the last one's end. Throws ValueError if the lists have
/// another length than the number of blocks.
std::size_t extent(const Counts& counts, const Counts& displacements, std::size_t blocks);

/// Raises cuboid.Error with the last message unless the code is that of success.
void check(int code);

}  // namespace cuboid::detail::python
