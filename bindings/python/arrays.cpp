#include "bindings/python/arrays.hpp"

#include <algorithm>
#include <numeric>

#include <pybind11/stl.h>

namespace cuboid::detail::python {

namespace {

Array array_of(const py::array& array) {
  if ((array.flags() & (py::array::c_style | py::array::f_style)) == 0)
    throw py::value_error(
        "a strided array: its elements do not lie one behind the other; give "
        "numpy.ascontiguousarray(…), or a copy");
  return {const_cast<void*>(array.data()), static_cast<std::size_t>(array.size()),
          type_of(array.dtype())};
}

bool is_c_order(const py::array& array) {
  return (array.flags() & py::array::c_style) != 0;
}
bool is_f_order(const py::array& array) {
  return (array.flags() & py::array::f_style) != 0;
}

cuboid_datatype number_of(char kind, py::ssize_t bytes) {
  const auto by_size = [&](std::initializer_list<cuboid_datatype> types) {
    py::ssize_t size = 1;
    for (const cuboid_datatype type : types) {
      if (size == bytes) return type;
      size *= 2;
    }
    return static_cast<cuboid_datatype>(bytes);
  };
  switch (kind) {
    case 'b': return CUBOID_UINT8;
    case 'i': return by_size({CUBOID_INT8, CUBOID_INT16, CUBOID_INT32, CUBOID_INT64});
    case 'u': return by_size({CUBOID_UINT8, CUBOID_UINT16, CUBOID_UINT32, CUBOID_UINT64});
    case 'f':
      return by_size({CUBOID_BYTE, CUBOID_FLOAT16, CUBOID_FLOAT32, CUBOID_FLOAT64,
                      sizeof(long double) == 16 ? CUBOID_LONG_DOUBLE : 16});
    case 'c': return by_size({1, 2, 4, CUBOID_COMPLEX64, CUBOID_COMPLEX128});
    default: return static_cast<cuboid_datatype>(bytes);
  }
}

/// A value and where it is from: numpy.dtype([("value", …), ("index", …)], align=True).
std::optional<cuboid_datatype> located(const py::dtype& type) {
  if (!type.has_fields()) return std::nullopt;
  const auto names = type.attr("names").cast<std::vector<std::string>>();
  if (names != std::vector<std::string>{"value", "index"}) return std::nullopt;
  const py::object fields = type.attr("fields");
  const auto of = [&](const char* name) {
    return type_of(py::dtype(fields[name].cast<py::tuple>()[0].cast<py::dtype>()));
  };
  const cuboid_datatype pair = CUBOID_LOCATED(of("value"), of("index"));
  if (cuboid_datatype_bytes(pair) != static_cast<std::size_t>(type.itemsize())) return std::nullopt;
  return pair;
}

}  // namespace

Array array_to_read(const py::array& array) {
  return array_of(array);
}

Array array_to_write(const py::array& array) {
  if (!array.writeable()) throw py::value_error("a read-only array; give one that can be written");
  return array_of(array);
}

Sides sides_of(const py::array& input, const py::array& output) {
  const Sides sides{array_to_read(input), array_to_write(output)};
  if (sides.input.type != sides.output.type)
    throw py::value_error("input is " + py::str(input.dtype()).cast<std::string>() +
                          ", output is " + py::str(output.dtype()).cast<std::string>() +
                          "; give both the same");
  const bool same_order =
      (is_c_order(input) && is_c_order(output)) || (is_f_order(input) && is_f_order(output));
  if (!same_order)
    throw py::value_error(
        "input and output lie in different orders (C's and Fortran's); give both the same");
  return sides;
}

void require_room(const Array& array, std::size_t count, const char* name) {
  if (array.count >= count) return;
  throw py::value_error(std::string(name) + " has " + std::to_string(array.count) +
                        " elements; give " + std::to_string(count));
}

cuboid_datatype type_of(const py::dtype& type) {
  if (const auto byte_order = type.byteorder(); byte_order == '>')
    throw py::value_error("big-endian numbers; give them in this machine's order");
  if (const auto pair = located(type)) return *pair;
  if (type.kind() == 'O') throw py::value_error("an array of Python objects; give numbers");
  if (type.itemsize() == 0) throw py::value_error("elements of no bytes; give others");
  return number_of(type.kind(), type.itemsize());
}

py::dtype dtype_of(cuboid_datatype type) {
  switch (type) {
    case CUBOID_FLOAT32: return py::dtype("f4");
    case CUBOID_FLOAT64: return py::dtype("f8");
    case CUBOID_COMPLEX64: return py::dtype("c8");
    default: return py::dtype("c16");
  }
}

std::size_t extent(const Counts& counts, const Counts& displacements, std::size_t blocks) {
  for (const Counts& list : {counts, displacements}) {
    if (list && list->size() != blocks)
      throw py::value_error("a list of " + std::to_string(list->size()) +
                            " counts or displacements; give " + std::to_string(blocks));
  }
  if (!displacements) return std::accumulate(counts->begin(), counts->end(), std::size_t{0});
  std::size_t end = 0;
  for (std::size_t rank = 0; rank < counts->size(); ++rank)
    end = std::max(end, (*displacements)[rank] + (*counts)[rank]);
  return end;
}

void check(int code) {
  static constexpr const char* names[] = {"success",     "invalid_argument", "mismatch", "timeout",
                                          "peer_failed", "out_of_memory",    "io",       "parse",
                                          "unsupported", "internal"};
  if (code == CUBOID_SUCCESS) return;
  const std::string message = cuboid_error_message();
  const py::object type = py::module_::import("cuboid._error").attr("Error");
  const py::object error = type(names[code], message);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

}  // namespace cuboid::detail::python
