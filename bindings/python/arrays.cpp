#include "bindings/python/arrays.hpp"

#include <cuboid/error.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <pybind11/stl.h>

namespace cuboid::detail::python {

namespace {

using Kind = Datatype::Kind;

bool is_c_order(const py::array& array) {
  return (array.flags() & py::array::c_style) != 0;
}
bool is_f_order(const py::array& array) {
  return (array.flags() & py::array::f_style) != 0;
}

Datatype number_of(char kind, std::size_t bytes) {
  const auto of = [bytes](std::initializer_list<Kind> kinds) {
    for (const Kind one : kinds)
      if (Datatype(one).bytes() == bytes) return Datatype(one);
    return Datatype::user(bytes);
  };
  switch (kind) {
    case 'b': return Kind::uint8;
    case 'i': return of({Kind::int8, Kind::int16, Kind::int32, Kind::int64});
    case 'u': return of({Kind::uint8, Kind::uint16, Kind::uint32, Kind::uint64});
    case 'f': return of({Kind::float16, Kind::float32, Kind::float64, Kind::long_double});
    case 'c': return of({Kind::complex64, Kind::complex128});
    default: return Datatype::user(bytes);
  }
}

/// The type of a value with its location: numpy.dtype([("value", …), ("index", …)], align=True).
std::optional<Datatype> located(const py::dtype& type) {
  const py::object names = type.attr("names");
  if (names.is_none() || py::tuple(names).size() != 2) return std::nullopt;
  const py::object fields = type.attr("fields");
  const auto field = [&](const char* name) -> std::optional<py::tuple> {
    if (!fields.contains(name)) return std::nullopt;
    return fields[name].cast<py::tuple>();
  };
  const auto value = field("value");
  const auto index = field("index");
  if (!value || !index) return std::nullopt;
  const auto type_in = [](const py::tuple& of) { return type_of(of[0].cast<py::dtype>()).kind(); };
  const auto begin_of = [](const py::tuple& of) { return of[1].cast<std::size_t>(); };
  try {
    const auto pair = Datatype::located(type_in(*value), type_in(*index));
    const std::size_t size = Datatype(pair.value()).bytes(), unit = Datatype(pair.index()).bytes();
    const bool as_in_c =
        begin_of(*value) == 0 && begin_of(*index) == (size + unit - 1) / unit * unit;
    if (as_in_c && pair.bytes() == static_cast<std::size_t>(bytes_of(type))) return pair;
  } catch (const cuboid::Error&) {  // no such pair: a record that can only be moved
  }
  return std::nullopt;
}

/// The address of the first element of an array, which must be contiguous.
const void* first_of(const py::array& array) {
  if (is_c_order(array) || is_f_order(array)) return array.data();
  throw py::value_error(
      "a strided array: its elements do not lie one behind the other; give "
      "numpy.ascontiguousarray(…), or a copy");
}

constexpr const char* cuda_interface = "__cuda_array_interface__";

/// An array on a device as a NumPy array of the same shape, whose elements nobody may touch on the
/// host. It keeps the array on the device alive.
py::array array_on_device(const py::object& argument, const char* name) {
  const py::dict interface = argument.attr(cuda_interface);
  if (interface.contains("mask") && !interface["mask"].is_none())
    throw py::type_error(std::string(name) + " is masked; give an array without a mask");
  const py::tuple data = interface["data"];
  std::vector<py::ssize_t> strides;
  if (interface.contains("strides") && !interface["strides"].is_none())
    strides = interface["strides"].cast<std::vector<py::ssize_t>>();
  py::array array(py::dtype::from_args(interface["typestr"]),
                  interface["shape"].cast<std::vector<py::ssize_t>>(), strides,
                  reinterpret_cast<void*>(data[0].cast<std::uintptr_t>()), argument);
  if (data[1].cast<bool>()) array.attr("setflags")(false);
  return array;
}

/// What a capsule of DLPack (dlpack.h) begins with.
struct DlTensor {
  void* data;
  std::int32_t device_kind, device, dimensions;
  std::uint8_t number, bits;
  std::uint16_t lanes;
  const std::int64_t* shape;
  const std::int64_t* strides;
  std::uint64_t offset;
};
namespace dlpack {
constexpr int host = 1, device = 2, pinned = 3, managed = 13;
}

/// Arrays that lie on a device and have both descriptions use the other one.
bool only_dlpack(const py::object& argument) {
  return !py::isinstance<py::array>(argument) && !py::hasattr(argument, cuda_interface) &&
         py::hasattr(argument, "__dlpack__") && py::hasattr(argument, "__dlpack_device__");
}

/// The capsule of an array. The given stream, or the default stream, waits for what writes it.
py::object capsule_of(const py::object& argument, OnStream stream) {
  constexpr std::uintptr_t default_stream = 1;  // DLPack's number of it
  const int kind = py::tuple(argument.attr("__dlpack_device__")())[0].cast<int>();
  if (kind == dlpack::host || kind == dlpack::pinned) return argument.attr("__dlpack__")();
  const auto number = reinterpret_cast<std::uintptr_t>(stream.given() ? stream.stream() : nullptr);
  return argument.attr("__dlpack__")(py::arg("stream") = number == 0 ? default_stream : number);
}

/// An array that DLPack describes as a NumPy array of the same shape. It keeps the memory alive.
py::array array_of_dlpack(const py::object& argument, const char* name) {
  const py::object capsule = capsule_of(argument, {});
  const auto* const tensor =
      static_cast<const DlTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (tensor == nullptr) throw py::error_already_set();
  constexpr std::string_view kinds = "iufVVcb";  // by DLPack's numbers
  const int where = tensor->device_kind;
  if (where != dlpack::host && where != dlpack::device && where != dlpack::pinned &&
      where != dlpack::managed)
    throw py::type_error(std::string(name) + " lies on a device that is not CUDA's");
  if (tensor->lanes != 1 || tensor->bits % 8 != 0 || tensor->number >= kinds.size())
    throw py::type_error(std::string(name) + ": elements that NumPy does not know");
  const auto bytes = static_cast<py::ssize_t>(tensor->bits / 8);
  const std::vector<py::ssize_t> shape(tensor->shape, tensor->shape + tensor->dimensions);
  std::vector<py::ssize_t> strides;
  for (std::int32_t axis = 0; tensor->strides != nullptr && axis < tensor->dimensions; ++axis)
    strides.push_back(tensor->strides[axis] * bytes);
  return {py::dtype(kinds[tensor->number] + std::to_string(bytes)), shape, strides,
          static_cast<std::byte*>(tensor->data) + tensor->offset, capsule};
}

std::size_t count_of(const py::array& array) {
  return static_cast<std::size_t>(array.size());
}

}  // namespace

OnStream stream_of_array(const py::object& argument) {
  if (py::isinstance<py::array>(argument) || !py::hasattr(argument, cuda_interface)) return {};
  const py::dict interface = argument.attr(cuda_interface);
  if (!interface.contains("stream") || interface["stream"].is_none()) return {};
  return on(reinterpret_cast<void*>(interface["stream"].cast<std::uintptr_t>()));
}

void let_stream_wait(OnStream stream, const py::object& argument) {
  if (only_dlpack(argument)) capsule_of(argument, stream);
}

py::array array_of(const py::object& argument, const char* name) {
  if (py::isinstance<py::array>(argument)) return py::reinterpret_borrow<py::array>(argument);
  throw py::type_error(std::string(name) + " is of type " +
                       text_of(py::type::of(argument).attr("__name__")) + "; give a NumPy array");
}

py::array array_anywhere(const py::object& argument, const char* name) {
  if (!py::isinstance<py::array>(argument) && py::hasattr(argument, cuda_interface))
    return array_on_device(argument, name);
  if (only_dlpack(argument)) return array_of_dlpack(argument, name);
  return array_of(argument, name);
}

ConstBuffer to_read(const py::array& array) {
  return {first_of(array), count_of(array), type_of(array.dtype())};
}

Buffer to_write(const py::array& array) {
  if (!array.writeable()) throw py::value_error("a read-only array; give one that can be written");
  return {const_cast<void*>(first_of(array)), count_of(array), type_of(array.dtype())};
}

void require_same_order(const py::array& input, const py::array& output) {
  if ((is_c_order(input) && is_c_order(output)) || (is_f_order(input) && is_f_order(output)))
    return;
  throw py::value_error(
      "input and output lie in different orders (C's and Fortran's); give both the same");
}

Datatype type_of(const py::dtype& type) {
  if (type.byteorder() == '>')
    throw py::value_error("big-endian numbers; give them in this machine's order");
  if (type.attr("hasobject").cast<bool>())
    throw py::value_error(text_of(type) +
                          ": Python objects cannot be sent; give numbers, or records of numbers");
  const py::ssize_t bytes = bytes_of(type);
  if (bytes == 0) throw py::value_error("elements of no bytes; give others");
  if (const auto pair = located(type)) return *pair;
  return number_of(type.kind(), static_cast<std::size_t>(bytes));
}

cuboid_datatype matrix_type_of(const py::dtype& type) {
  switch (type_of(type).kind()) {
    case Kind::float32: return CUBOID_FLOAT32;
    case Kind::float64: return CUBOID_FLOAT64;
    case Kind::complex64: return CUBOID_COMPLEX64;
    case Kind::complex128: return CUBOID_COMPLEX128;
    default:
      throw py::type_error("a matrix of " + text_of(type) +
                           ": give float32, float64, complex64 or complex128");
  }
}

py::dtype dtype_of(cuboid_datatype matrix_type) {
  switch (matrix_type) {
    case CUBOID_FLOAT32: return py::dtype("f4");
    case CUBOID_FLOAT64: return py::dtype("f8");
    case CUBOID_COMPLEX64: return py::dtype("c8");
    default: return py::dtype("c16");
  }
}

std::string text_of(const py::handle& object) {
  return py::str(object).cast<std::string>();
}

py::ssize_t bytes_of(const py::dtype& type) {
  return type.attr("itemsize").cast<py::ssize_t>();
}

}  // namespace cuboid::detail::python
