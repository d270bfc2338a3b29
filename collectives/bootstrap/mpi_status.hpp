#pragma once

#include <cuboid/error.hpp>

#include "base/clock.hpp"

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail {

inline std::string text_of_mpi_error(int status) {
  std::array<char, MPI_MAX_ERROR_STRING> message{};
  int length = 0;
  PMPI_Error_string(status, message.data(), &length);
  return message.data();
}

/// The first line of what the MPI library of this process says about itself.
inline std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data());
  return whole.substr(0, whole.find('\n'));
}

/// Throws Error(unsupported) if `status` is an error. The text names `what` MPI could not do.
inline void require_mpi(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("MPI: {} failed: {}", what, text_of_mpi_error(status)));
}

inline Clock::time_point deadline_after(std::chrono::duration<double> seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
}

/// Waits until `condition` returns true or the deadline has passed. Returns true in the first case.
template <class Condition>
bool look_until(Clock::time_point deadline, Condition condition) {
  constexpr std::chrono::microseconds between_looks{100};
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(between_looks);
  }
  return true;
}

inline bool is_complete(MPI_Request& request) {
  int complete = 0;
  require_mpi(PMPI_Test(&request, &complete, MPI_STATUS_IGNORE), "MPI_Test");
  return complete != 0;
}

}  // namespace cuboid::detail
