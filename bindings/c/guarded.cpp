#include "bindings/c/guarded.hpp"

#include <cuboid/version.hpp>

#include <new>

#include <cuboid.h>

namespace {

std::string& last_message() {
  thread_local std::string message;
  return message;
}

int code_of(cuboid::ErrorCode code) {
  using cuboid::ErrorCode;
  switch (code) {
    case ErrorCode::invalid_argument: return CUBOID_INVALID_ARGUMENT;
    case ErrorCode::mismatch: return CUBOID_MISMATCH;
    case ErrorCode::timeout: return CUBOID_TIMEOUT;
    case ErrorCode::peer_failed: return CUBOID_PEER_FAILED;
    case ErrorCode::out_of_memory: return CUBOID_OUT_OF_MEMORY;
    case ErrorCode::io: return CUBOID_IO;
    case ErrorCode::parse: return CUBOID_PARSE;
    case ErrorCode::unsupported: return CUBOID_UNSUPPORTED;
    case ErrorCode::internal: break;
  }
  return CUBOID_INTERNAL;
}

int remember(int code, const char* text) noexcept {
  try {
    last_message() = text;
  } catch (...) {
    last_message().clear();
  }
  return code;
}

}  // namespace

int cuboid::detail::c::code_of_current_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return remember(code_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return remember(CUBOID_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return remember(CUBOID_INTERNAL, error.what());
  } catch (...) {
    return remember(CUBOID_INTERNAL, "an unknown exception");
  }
}

void cuboid::detail::c::set_error_message(const std::string& message) noexcept {
  static_cast<void>(remember(CUBOID_SUCCESS, message.c_str()));
}

const char* cuboid_error_message(void) {
  return last_message().c_str();
}

const char* cuboid_version(void) {
  return CUBOID_VERSION;
}
