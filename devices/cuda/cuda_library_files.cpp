#include "devices/cuda/cuda_library_files.hpp"

#include "base/shared_library.hpp"

#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

std::optional<std::string> find_cuda_library(const CudaDriver& driver, std::string_view name,
                                             std::span<const CudaLibraryVersion> versions) {
  std::vector<std::string> loaded, installed, unpacked;
  for (const auto [major, cuda] : versions) {
    if (driver.version() < 1000 * cuda) continue;
    const std::string file = fmt::format("{}.so.{}", name, major);
    if (SharedLibrary::is_loaded(file)) loaded.push_back(file);
    installed.push_back(file);
    unpacked.push_back("/usr/local/cuda/lib64/" + file);
  }
  for (const auto* files : {&loaded, &installed, &unpacked}) {
    for (const std::string& file : *files) {
      if (SharedLibrary::can_be_loaded(file)) return file;
    }
  }
  return std::nullopt;
}

}  // namespace cuboid::detail
