#pragma once

#include <cuboid/error.hpp>

#include <memory>

#include <pybind11/pybind11.h>

namespace cuboid::detail::python {

namespace py = pybind11;

/// A Python exception on its way through Cuboid, which tells other ranks of it in one line. Copies
/// share the exception; the last one releases it under the GIL. Its code is "peer_failed" for a
/// cuboid.Error of that code, else "internal".
class Raised : public Error {
 public:
  explicit Raised(const py::error_already_set& error);
  /// Raises it again.
  void restore() const;

 private:
  std::shared_ptr<py::error_already_set> error_;
};

/// Raises cuboid.Error with the last message of the C interface unless the code is that of success.
/// What interrupted the call is raised instead.
void check(int code);

/// Cuboid's exceptions, and Raised, become Python's.
void define_errors();

}  // namespace cuboid::detail::python
