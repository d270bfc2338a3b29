#include "devices/kernels/kernel_cache.hpp"

#include "base/stable_hash.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail {

KernelCache::KernelCache(const std::optional<std::string>& folder) {
  if (folder) folder_ = *folder + "/cuboid/kernels";
}

std::string KernelCache::path(const std::string& key) const {
  return fmt::format("{}/{:016x}", *folder_, stable_hash(key));
}

std::optional<std::string> KernelCache::find(const std::string& key) const {
  if (!folder_) return std::nullopt;
  std::ifstream file(path(key), std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  // The key comes last: a file that was cut off does not end with it, nor does that of another key
  // with the same hash.
  if (!file || !all.ends_with(key)) return std::nullopt;
  return all.substr(0, all.size() - key.size());
}

void KernelCache::keep(const std::string& key, const std::string& code) const {
  if (!folder_) return;
  std::error_code unusable;
  std::filesystem::create_directories(*folder_, unusable);
  // Renamed when it is complete, so that no process reads a part.
  const std::string unfinished = fmt::format("{}.{}.{}", path(key), getpid(), fmt::ptr(this));
  {
    std::ofstream file(unfinished, std::ios::binary);
    file << code << key;
    if (!file.flush()) unusable = std::make_error_code(std::errc::io_error);
  }
  if (!unusable) std::filesystem::rename(unfinished, path(key), unusable);
  if (unusable) std::filesystem::remove(unfinished, unusable);
}

}  // namespace cuboid::detail
