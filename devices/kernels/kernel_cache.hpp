#pragma once

#include <optional>
#include <string>

namespace cuboid::detail {

/// Compiled kernels in files of the user's cache folder. Any process of the user may read and write
/// them at the same time. A folder that cannot be used keeps nothing.
class KernelCache {
 public:
  /// @param folder  Environment::cache_folder; kernels are in its folder "cuboid/kernels".
  explicit KernelCache(const std::optional<std::string>& folder);

  /// The compiled kernel of a key, which says all that the kernel depends on.
  std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, const std::string& code) const;

 private:
  std::string path(const std::string& key) const;

  std::optional<std::string> folder_;
};

}  // namespace cuboid::detail
