#include "base/process_limits.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

std::optional<std::uint64_t> limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace

bool may_make_file_of(std::uint64_t bytes) {
  const auto limit = limit_of(RLIMIT_FSIZE);
  return !limit || bytes <= *limit;
}

std::optional<std::uint64_t> mappable_bytes() {
  const auto limit = limit_of(RLIMIT_AS);
  if (!limit) return std::nullopt;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t mapped = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return *limit - std::min(*limit, mapped);
}

std::uint64_t most_descriptors() {
  return limit_of(RLIMIT_NOFILE).value_or(UINT64_MAX);
}

bool has_free_descriptors(std::size_t wanted) {
  const int any = open("/", O_PATH | O_CLOEXEC);
  std::vector<int> taken = {any};
  while (taken.back() >= 0 && taken.size() < wanted)
    taken.push_back(fcntl(any, F_DUPFD_CLOEXEC, 0));
  const bool all = taken.back() >= 0;
  for (const int one : taken) {
    if (one >= 0) close(one);
  }
  return all;
}

}  // namespace cuboid::detail
