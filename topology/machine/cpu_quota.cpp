#include "topology/machine/cpu_quota.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

namespace {

/// A quota of CPU time and its period, in microseconds. If the amount is <= 0, there is no quota.
struct Quota {
  std::int64_t amount = 0;
  std::int64_t period = 0;
};

int whole_processors(Quota quota) {
  if (quota.amount <= 0 || quota.period <= 0) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(quota.amount / quota.period, 1, 1 << 20));
}

/// Reads "200000 100000" or "max 100000" of version 2. "max" cannot be read as a number, so there
/// is no quota.
Quota read_version_2(const std::filesystem::path& group) {
  Quota quota;
  std::ifstream(group / "cpu.max") >> quota.amount >> quota.period;
  return quota;
}

/// Reads a quota of version 1, which writes -1 if there is none.
Quota read_version_1(const std::filesystem::path& group) {
  Quota quota;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota.amount;
  std::ifstream(group / "cpu.cfs_period_us") >> quota.period;
  return quota;
}

int smaller_limit(int a, int b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

/// The smallest limit of a group, by its own quota and the quotas of all groups around it.
template <typename ReadQuota>
int tightest(const std::filesystem::path& root, std::filesystem::path group, ReadQuota read) {
  int limit = whole_processors(read(root));
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    limit = smaller_limit(limit, whole_processors(read(root / group)));
  }
  return limit;
}

bool names_cpu(std::string_view controllers) {
  for (std::size_t start = 0; start <= controllers.size();) {
    const std::size_t end = std::min(controllers.find(',', start), controllers.size());
    if (controllers.substr(start, end - start) == "cpu") return true;
    start = end + 1;
  }
  return false;
}

}  // namespace

int cpu_quota(const std::filesystem::path& mount, const std::filesystem::path& own_groups) {
  int limit = 0;
  std::ifstream file(own_groups);
  // A line is "hierarchy:controllers:path". Version 2 is hierarchy 0 and names no controllers.
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      limit = smaller_limit(limit, tightest(mount, path, read_version_2));
    } else if (names_cpu(controllers)) {
      limit = smaller_limit(limit, tightest(mount / controllers, path, read_version_1));
    }
  }
  return limit;
}

}  // namespace cuboid::detail
