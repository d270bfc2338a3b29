#pragma once

#include <cuboid/error.hpp>

#include <array>
#include <string>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail {

inline std::string text_of_mpi_error(int status) {
  std::array<char, MPI_MAX_ERROR_STRING> message{};
  int length = 0;
  PMPI_Error_string(status, message.data(), &length);
  return message.data();
}

/// Throws Error(unsupported) that names `what` MPI could not do; nothing where it could.
inline void require_mpi(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("MPI: {} failed: {}", what, text_of_mpi_error(status)));
}

}  // namespace cuboid::detail
