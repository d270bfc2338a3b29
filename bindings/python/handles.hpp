#pragma once

#include "bindings/python/arrays.hpp"

#include <memory>
#include <utility>

namespace cuboid::detail::python {

/// Runs a function of the C interface without the GIL, and raises the error that it returns.
template <class Function, class... Arguments>
void without_gil(Function function, Arguments... arguments) {
  int code = CUBOID_SUCCESS;
  {
    const py::gil_scoped_release released;
    code = function(arguments...);
  }
  check(code);
}

/// A handle of the C interface, and the Python objects that it uses. It is freed without the GIL,
/// because freeing may wait for other ranks.
template <class Of, int (*free_handle)(Of*)>
struct Handle {
  Of handle = nullptr;
  std::vector<py::object> uses = {};

  Handle() = default;
  explicit Handle(Of made, std::vector<py::object> keep = {})
      : handle(made), uses(std::move(keep)) {}
  Handle(Handle&& other) noexcept
      : handle(std::exchange(other.handle, nullptr)), uses(std::move(other.uses)) {}
  Handle& operator=(Handle&& other) = delete;
  ~Handle() {
    if (handle == nullptr) return;
    const py::gil_scoped_release released;
    static_cast<void>(free_handle(&handle));
  }

  void free() {
    if (handle == nullptr) return;
    without_gil(free_handle, &handle);
    uses.clear();
  }
};

using Communicator = Handle<cuboid_communicator, cuboid_communicator_free>;
using Plan = Handle<cuboid_plan, cuboid_plan_free>;
using Request = Handle<cuboid_request, cuboid_wait>;
using Window = Handle<cuboid_window, cuboid_window_free>;
using Matrix = Handle<cuboid_matrix, cuboid_matrix_free>;
using Multiplication = Handle<cuboid_multiplication, cuboid_multiplication_free>;
using Factorisation = Handle<cuboid_factorisation, cuboid_factorisation_free>;

struct Neighbourhood : Handle<cuboid_neighbourhood, cuboid_neighbourhood_free> {
  std::size_t sources = 0;
  std::size_t destinations = 0;
};

/// How elements are combined: a built-in operation, or a Python function of two arrays.
class Operation {
 public:
  explicit Operation(int built_in)
      : built_in_(reinterpret_cast<cuboid_reduction>(static_cast<std::intptr_t>(built_in))) {}
  Operation(py::function function, bool commutative)
      : function_(std::move(function)), commutative_(commutative) {}

  /// The operation on elements of one type.
  cuboid_reduction of(const py::dtype& type);

 private:
  struct ForType;
  cuboid_reduction built_in_ = nullptr;
  py::function function_ = {};
  bool commutative_ = true;
  std::vector<std::shared_ptr<ForType>> for_types_ = {};
};

void define_communicators(py::module_& module);
void define_operations(py::module_& module);
void define_collectives(py::class_<Communicator>& communicator);
void define_matrices(py::module_& module);
void define_model(py::module_& module);

}  // namespace cuboid::detail::python
