#include "tools/command/memory.hpp"

#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include "base/process_limits.hpp"
#include "mm/local/blas_library.hpp"
#include "tools/output/number.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <malloc.h>

namespace cuboid::detail::tools {

void require_node_memory(const Communicator& communicator,
                         const std::function<double(int rank)>& bytes_of, const std::string& what,
                         const std::string& remedy) {
  const auto require = [&](double needed, std::optional<std::uint64_t> available,
                           const std::string& where) {
    if (!available || needed <= static_cast<double>(*available)) return;
    throw Error(ErrorCode::out_of_memory,
                fmt::format("not enough memory: {} needs {} {}, {} are available: {}", what,
                            bytes_to_string(needed), where,
                            bytes_to_string(static_cast<double>(*available)), remedy));
  };
  double needed = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (communicator.same_node(rank)) needed += bytes_of(rank);
  }
  require(needed, available_memory(), "on " + communicator.host(communicator.rank()));
  const double own = MpiSession::launched() ? bytes_of(communicator.rank()) : needed;
  require(own + bytes_mapped_by_blas, mappable_bytes(), "in a process that is limited (ulimit -v)");
}

namespace {

using std::filesystem::path;

/// A line "key   123 kB" of a file, in bytes.
std::optional<std::uint64_t> kilobytes_at(const path& file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10) * 1024;
  }
  return std::nullopt;
}

/// The number that a file contains; nullopt for "max" and if there is no such file.
std::optional<std::uint64_t> number_in(const path& file) {
  std::ifstream stream(file);
  std::uint64_t value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

/// The memory that a control group still allows; nullopt if it has no limit.
std::optional<std::uint64_t> room_in_group(const path& group, const char* limit_name,
                                           const char* usage_name) {
  const auto limit = number_in(group / limit_name);
  const auto usage = number_in(group / usage_name);
  if (!limit || !usage) return std::nullopt;
  // Cached file pages count as usage, but the kernel frees them when memory is needed.
  const auto cached = [&]() -> std::uint64_t {
    std::ifstream stream(group / "memory.stat");
    std::string key;
    std::uint64_t value = 0;
    while (stream >> key >> value) {
      if (key == "inactive_file" || key == "total_inactive_file") return value;
    }
    return 0;
  }();
  const std::uint64_t used = *usage - std::min(*usage, cached);
  return *limit - std::min(*limit, used);
}

/// The smallest amount that `group` and the groups that contain it, up to `mount`, still allow.
std::uint64_t room_up_to(const path& mount, path group, const char* limit_name,
                         const char* usage_name) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (;;) {
    if (const auto room = room_in_group(group, limit_name, usage_name)) {
      least = std::min(least, *room);
    }
    if (group == mount || group == group.parent_path()) return least;
    group = group.parent_path();
  }
}

std::uint64_t room_in_own_groups(const MemoryFiles& files) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::ifstream stream(files.own_groups);
  for (std::string line; std::getline(stream, line);) {  // "4:memory:/job/step" or "0::/job/step"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const path group = path(line.substr(second + 1)).relative_path();
    if (controllers == "memory") {
      const path mount = files.groups / "memory";
      least = std::min(least, room_up_to(mount, mount / group, "memory.limit_in_bytes",
                                         "memory.usage_in_bytes"));
    } else if (controllers.empty()) {
      least = std::min(
          least, room_up_to(files.groups, files.groups / group, "memory.max", "memory.current"));
    }
  }
  return least;
}

}  // namespace

std::optional<std::uint64_t> available_memory(const MemoryFiles& files) {
  const auto machine = kilobytes_at(files.meminfo, "MemAvailable:");
  const std::uint64_t groups = room_in_own_groups(files);
  if (machine) return std::min(*machine, groups);
  if (groups == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return groups;
}

std::uint64_t peak_resident_memory() {
  const std::uint64_t peak = kilobytes_at("/proc/self/status", "VmHWM:").value_or(0);
  const auto shared = kilobytes_at("/proc/self/status", "RssShmem:");
  const auto part = kilobytes_at("/proc/self/smaps_rollup", "Pss_Shmem:");
  if (!shared || !part || *part > *shared) return peak;
  return peak - std::min(peak, *shared - *part);
}

PeakMemory::PeakMemory() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak to the current resident memory
  before_ = kilobytes_at("/proc/self/status", "VmRSS:").value_or(0);
}

std::uint64_t PeakMemory::bytes() const {
  const std::uint64_t peak = kilobytes_at("/proc/self/status", "VmHWM:").value_or(0);
  return peak - std::min(peak, before_);
}

}  // namespace cuboid::detail::tools
