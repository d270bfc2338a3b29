#pragma once

#include <filesystem>

namespace cuboid::detail {

/// Whole processors that control groups (version 1 or 2) let this process keep busy, at least 1; 0
/// where nothing limits it. `docker run --cpus` and batch systems set such quotas; affinity masks
/// do not show them. The arguments are where the kernel shows them, for tests.
int cpu_quota(const std::filesystem::path& mount = "/sys/fs/cgroup",
              const std::filesystem::path& own_groups = "/proc/self/cgroup");

}  // namespace cuboid::detail
