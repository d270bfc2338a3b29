#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {

/// The sanitizers' runs leave out the largest worlds, which take most of the time and run the same
/// lines.
#ifdef CUBOID_SANITIZED
inline constexpr std::initializer_list<int> world_sizes = {1, 2, 3, 5, 8};
#else
inline constexpr std::initializer_list<int> world_sizes = {1, 2, 3, 5, 8, 12, 16};
#endif
inline constexpr int largest_world = std::ranges::max(world_sizes);

/// What a rank finds wrong. An exception rather than a failed expectation: it ends the other ranks
/// too, which would wait in vain.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Arguments>
void require(bool condition, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  if (!condition) throw Wrong(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Environment of this process with another deadline.
inline Environment with_timeout(std::chrono::duration<double> timeout) {
  Environment environment = Environment::read();
  environment.timeout = timeout;
  return environment;
}

/// Runs `body` on worlds of every size and lets the test fail where a rank throws.
inline void on_worlds(const std::function<void(Communicator&)>& body,
                      std::initializer_list<int> sizes = world_sizes) {
  for (const int ranks : sizes) {
    try {
      run_ranks(ranks, body);
    } catch (const std::exception& error) {
      ADD_FAILURE() << ranks << " ranks: " << error.what();
    }
  }
}

/// The error that `call` throws; fails where it throws none.
inline Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  throw Wrong("no error was thrown");
}

inline void require_error(const std::function<void()>& call, ErrorCode code,
                          std::initializer_list<std::string> parts) {
  const Error error = error_of(call);
  const std::string message = error.what();
  require(error.code() == code, "error {} instead of {}: {}", to_string(error.code()),
          to_string(code), message);
  for (const std::string& part : parts)
    require(message.find(part) != std::string::npos, "\"{}\" is not in: {}", part, message);
}

}  // namespace cuboid::detail
