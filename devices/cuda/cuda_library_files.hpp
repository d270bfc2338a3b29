#pragma once

#include "devices/cuda/cuda_driver.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// A major version of a library of CUDA's, and the oldest major version of CUDA whose driver can
/// serve it.
struct CudaLibraryVersion {
  int library;
  int cuda;
};

/// The file of a library of CUDA's: the one that the process has loaded already, else the newest
/// installed one that the driver can serve; nullopt if there is none.
/// @param name      e.g. "libcublas"
/// @param versions  the newest first
std::optional<std::string> find_cuda_library(const CudaDriver& driver, std::string_view name,
                                             std::span<const CudaLibraryVersion> versions);

}  // namespace cuboid::detail
