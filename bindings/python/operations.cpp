#include "bindings/python/handles.hpp"

#include <algorithm>

namespace cuboid::detail::python {

namespace {

/// A Python function as an operation on elements of one type. Cuboid's threads share it; the last
/// one releases it under the GIL.
struct Combination {
  py::function function;
  py::dtype type;
  py::ssize_t bytes;

  /// result = function(left, right). The function gets copies: copies that it keeps stay valid, and
  /// changes that it makes have no effect.
  void operator()(const void* left, const void* right, void* result, std::size_t count) const {
    const py::gil_scoped_acquire held;
    try {
      const auto elements = static_cast<py::ssize_t>(count);
      const auto copy = [&](const void* data) {
        return py::array(type, {elements}, {bytes}, data);
      };
      const py::module_ numpy = py::module_::import("numpy");
      const py::object given = function(copy(left), copy(right));
      const py::array combined = numpy.attr("asarray")(given);
      if (combined.ndim() != 1 || combined.shape(0) != elements) {
        throw py::value_error("the operation returned an array of shape " +
                              text_of(combined.attr("shape")) + " for " + std::to_string(count) +
                              " elements; return as many");
      }
      // The memory is Cuboid's, so the array of it must end here.
      const py::array to(type, {elements}, {bytes}, result, py::none());
      numpy.attr("copyto")(to, combined, py::arg("casting") = "same_kind");
    } catch (const py::error_already_set& error) {
      throw Raised(error);
    } catch (const py::builtin_exception& error) {
      error.set_error();
      throw Raised(py::error_already_set());
    }
  }
};

void end_under_gil(const Combination* combination) {
  if (Py_IsInitialized() == 0) return;  // Python has ended, and with it its objects
  const py::gil_scoped_acquire held;
  delete combination;
}

bool is_location(Reduction::Kind kind) {
  return kind == Reduction::Kind::minimum_location || kind == Reduction::Kind::maximum_location;
}

}  // namespace

Reduction PythonOperation::of(const py::dtype& type) {
  if (is_location(built_in_) && type_of(type).kind() != Datatype::Kind::located) {
    throw py::value_error(
        "a location is found among values with their index, not among " + text_of(type) +
        "; give numpy.dtype([(\"value\", \"f8\"), (\"index\", \"i4\")], align=True), or others so");
  }
  if (built_in_ != Reduction::Kind::user) return built_in_;
  const auto made =
      std::ranges::find_if(for_types_, [&](const ForType& one) { return one.type.equal(type); });
  if (made != for_types_.end()) return made->reduction;
  const std::shared_ptr<const Combination> combination(
      new Combination{function_, type, bytes_of(type)}, &end_under_gil);
  const auto combine = [combination](const void* left, const void* right, void* result,
                                     std::size_t count) {
    (*combination)(left, right, result, count);
  };
  for_types_.push_back({type, Reduction::user(combine, Commutative{commutative_})});
  return for_types_.back().reduction;
}

void define_operations(py::module_& module) {
  py::enum_<Reduction::Kind> kinds(module, "Kind");
  for (int number = 0; number < static_cast<int>(Reduction::Kind::user); ++number) {
    const auto kind = static_cast<Reduction::Kind>(number);
    std::string name = to_string(kind);
    std::ranges::replace(name, ' ', '_');
    kinds.value(name.c_str(), kind);
  }
  py::class_<PythonOperation>(module, "Operation")
      .def(py::init<Reduction::Kind>(), py::arg("built_in"))
      .def(py::init<py::function, bool>(), py::arg("function"), py::arg("commutative"));
}

}  // namespace cuboid::detail::python
