#include "bindings/python/errors.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <cuboid.h>

namespace cuboid::detail::python {

namespace {

/// The exception that was raised on this thread while a function of the C interface ran. That
/// function returns only a code.
std::optional<Raised>& met() {
  thread_local std::optional<Raised> raised;
  return raised;
}

void raise(const std::string& code, const char* message) {
  const char* const name = code == "invalid_argument" ? "InvalidArgument" : "Error";
  const py::object type = py::module_::import("cuboid._error").attr(name);
  const py::object error = type(code, message);
  PyErr_SetObject(type.ptr(), error.ptr());
}

ErrorCode code_of(const py::error_already_set& error) {
  const py::object type = py::module_::import("cuboid._error").attr("Error");
  if (!py::isinstance(error.value(), type)) return ErrorCode::internal;
  const auto code = py::str(py::getattr(error.value(), "code", py::none())).cast<std::string>();
  return code == "peer_failed" ? ErrorCode::peer_failed : ErrorCode::internal;
}

std::string message_of(const py::error_already_set& error) {
  std::string text = error.type().attr("__name__").cast<std::string>();
  try {
    const auto said = py::str(error.value()).cast<std::string>();
    if (!said.empty()) text += ": " + said;
  } catch (const py::error_already_set&) {  // its str() raises
  }
  return text;
}

}  // namespace

Raised::Raised(const py::error_already_set& error)
    : Error(code_of(error), message_of(error)),
      error_(std::make_shared<py::error_already_set>(error)) {
  met() = *this;
}

void Raised::restore() const {
  met().reset();
  py::error_already_set copy(*error_);
  copy.restore();
}

void check(int code) {
  static constexpr const char* names[] = {"success",     "invalid_argument", "mismatch", "timeout",
                                          "peer_failed", "out_of_memory",    "io",       "parse",
                                          "unsupported", "internal"};
  const std::optional<Raised> raised = std::exchange(met(), std::nullopt);
  if (code == CUBOID_SUCCESS) return;
  if (raised) {
    raised->restore();
  } else {
    raise(names[code], cuboid_error_message());
  }
  throw py::error_already_set();
}

void define_errors() {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Raised& raised) {
      raised.restore();
    } catch (const Error& error) {
      met().reset();
      std::string code(to_string(error.code()));
      std::ranges::replace(code, ' ', '_');
      raise(code, error.what());
    }
  });
}

}  // namespace cuboid::detail::python
