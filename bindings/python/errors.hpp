#pragma once

#include <cuboid/error.hpp>

#include <memory>

#include <pybind11/pybind11.h>

namespace cuboid::detail::python {

namespace py = pybind11;

/// A Python exception that passes through Cuboid, which tells other ranks of it in one line. Copies
/// share the exception; the last copy releases it under the GIL. Its code is "peer_failed" for a
/// cuboid.Error of that code, else "internal".
class Raised : public Error {
 public:
  explicit Raised(const py::error_already_set& error);
  /// Raises it again.
  void restore() const;

 private:
  std::shared_ptr<py::error_already_set> error_;
};

/// Raises cuboid.Error with the last message of the C interface, unless the code means success. If
/// an exception interrupted the call, raises that one instead.
void check(int code);

/// Makes Cuboid's exceptions, and Raised, exceptions of Python.
void define_errors();

}  // namespace cuboid::detail::python
