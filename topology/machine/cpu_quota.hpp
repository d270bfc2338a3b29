#pragma once

#include <filesystem>

namespace cuboid::detail {

/// The number of whole processors that control groups (version 1 or 2) let this process use, at
/// least 1; 0 if there is no limit. `docker run --cpus` and batch systems set such quotas, which
/// affinity masks do not show. The arguments are the kernel's folders, for tests.
int cpu_quota(const std::filesystem::path& mount = "/sys/fs/cgroup",
              const std::filesystem::path& own_groups = "/proc/self/cgroup");

}  // namespace cuboid::detail
