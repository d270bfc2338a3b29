#pragma once

#include <cuboid/error.hpp>

#include <string>
#include <utility>

#include <cuboid.h>

namespace cuboid::detail::c {

/// The code of the exception that is being handled. Its text becomes this thread's error message.
int code_of_current_exception() noexcept;

/// Sets the message that cuboid_error_message() returns next on this thread.
void set_error_message(const std::string& message) noexcept;

/// Runs the body of a function of the C interface and returns a code. No exception leaves it.
template <class Body>
int guarded(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return 0;
  } catch (...) {
    return code_of_current_exception();
  }
}

[[noreturn]] inline void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

/// Dereferences a pointer. Refuses NULL with a message that names the argument.
template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) refuse(std::string(name) + " is NULL");
  return *pointer;
}

/// Stores the handle that `make` returns. Refuses a NULL pointer to the handle before anything is
/// made.
template <class Handle, class Make>
void give(Handle* to, const char* name, const Make& make) {
  Handle& handle = required(to, name);
  handle = make();
}

/// The caller's memory, for an argument that may not be CUBOID_IN_PLACE.
template <class T>
T* not_in_place(T* data, const char* name) {
  if (data == CUBOID_IN_PLACE) refuse(std::string(name) + " is CUBOID_IN_PLACE; give an address");
  return data;
}

/// Frees a handle and sets it to NULL.
template <class Handle>
int free_handle(Handle* handle) noexcept {
  return guarded(
      [&] { delete std::exchange(required(handle, "the pointer to a handle"), nullptr); });
}

}  // namespace cuboid::detail::c
