#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace cuboid::detail::tools {

/// Where the kernel tells of memory; other places for tests.
struct MemoryFiles {
  std::filesystem::path meminfo = "/proc/meminfo";
  std::filesystem::path own_groups = "/proc/self/cgroup";
  std::filesystem::path groups = "/sys/fs/cgroup";
};

/// Bytes that this process could still take: what the machine has available, or less where a
/// control group (version 1 or 2) it is in, or one around that, leaves less. nullopt if the
/// kernel does not tell.
std::optional<std::uint64_t> available_memory(const MemoryFiles& files = {});

/// The largest resident memory this process has had so far, in bytes; 0 if the kernel does not
/// tell. Of memory that is shared with other processes now, it has the part that one of so many
/// has.
std::uint64_t peak_resident_memory();

/// How much resident memory this process has taken, at most, since this was made, in bytes; 0 if
/// the kernel does not tell. What was free before is given back first, so that it counts when it is
/// taken again; peak_resident_memory() begins anew, too.
class PeakMemory {
 public:
  PeakMemory();
  std::uint64_t bytes() const;

 private:
  std::uint64_t before_ = 0;
};

}  // namespace cuboid::detail::tools
