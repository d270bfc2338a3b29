#pragma once

#include <exception>
#include <string>

namespace cuboid::detail {

/// The text of an exception.
inline std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an object that is no std::exception";
  }
}

}  // namespace cuboid::detail
