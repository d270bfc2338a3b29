#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/on_stream.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <cuboid.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace cuboid::detail::python {

namespace py = pybind11;

/// An argument as a NumPy array; nothing is copied. Throws TypeError if it is not an array.
py::array array_of(const py::object& argument, const char* name);
/// The same for arrays that may lie on a device: an array that its __cuda_array_interface__ or
/// DLPack describes becomes a NumPy array of the same shape, whose elements must not be touched.
py::array array_anywhere(const py::object& argument, const char* name);

/// The stream that an array on a device names: its elements are there when the stream has done its
/// work. No stream for other arrays.
OnStream stream_of_array(const py::object& argument);

/// Lets a stream, or the default stream if none is given, wait for the work that writes an array
/// which only DLPack describes. Nothing for other arrays.
void let_stream_wait(OnStream stream, const py::object& argument);

/// An array's elements, which must be contiguous, in C's order or Fortran's. Throws ValueError for
/// a strided array and for an array of Python objects; to_write() also for a read-only array.
ConstBuffer to_read(const py::array& array);
Buffer to_write(const py::array& array);

/// Throws ValueError unless two arrays of one call are both in C's order, or both in Fortran's.
void require_same_order(const py::array& input, const py::array& output);

/// Cuboid's type for a NumPy type. A NumPy type without a counterpart becomes a user type, which
/// can be moved. Throws ValueError for Python objects, elements of no bytes, and numbers in the
/// other byte order.
Datatype type_of(const py::dtype& type);
/// The type of a matrix's elements. Throws TypeError for other types.
cuboid_datatype matrix_type_of(const py::dtype& type);
py::dtype dtype_of(cuboid_datatype matrix_type);

/// The text that str() makes of an object.
std::string text_of(const py::handle& object);

/// The bytes of an element. NumPy 1 and 2 store them in different places, so Python's attribute is
/// read.
py::ssize_t bytes_of(const py::dtype& type);

/// Counts or displacements by rank; nullopt for None.
using Counts = std::optional<std::vector<std::size_t>>;

}  // namespace cuboid::detail::python
