#pragma once

#include <cuboid/buffer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <cuboid.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace cuboid::detail::python {

namespace py = pybind11;

/// The NumPy array that an argument is; nothing is copied. Throws TypeError for anything else.
py::array array_of(const py::object& argument, const char* name);

/// An array's elements: contiguous, in C's order or Fortran's. Throws ValueError for a strided
/// array, or one of Python objects; to_write() also for one that is read-only.
ConstBuffer to_read(const py::array& array);
Buffer to_write(const py::array& array);

/// Throws ValueError unless two arrays of one call are both in C's order, or both in Fortran's.
void require_same_order(const py::array& input, const py::array& output);

/// Cuboid's type for a NumPy type: of a user's, which can be moved, where it has no other. Throws
/// ValueError for Python objects, elements of no bytes, and numbers in the other byte order.
Datatype type_of(const py::dtype& type);
/// Of elements of matrices. Throws TypeError for others.
cuboid_datatype matrix_type_of(const py::dtype& type);
py::dtype dtype_of(cuboid_datatype matrix_type);

/// What str() makes of it.
std::string text_of(const py::handle& object);

/// The bytes of an element. NumPy 1 and 2 keep them in different places; Python's attribute tells.
py::ssize_t bytes_of(const py::dtype& type);

/// Counts or displacements by rank; nothing for None.
using Counts = std::optional<std::vector<std::size_t>>;

}  // namespace cuboid::detail::python
