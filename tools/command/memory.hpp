#pragma once

#include <cuboid/communicator.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail::tools {

/// Throws Error(out_of_memory) if the ranks on this node need more memory than it has available.
/// @param bytes_of  bytes that a rank needs.
/// @param what      what needs them, e.g. "a 500 x 500 matrix of float64".
/// @param remedy    what the user can do instead.
void require_node_memory(const Communicator& communicator,
                         const std::function<double(int rank)>& bytes_of, const std::string& what,
                         const std::string& remedy);

/// The files in which the kernel reports memory; tests use other files.
struct MemoryFiles {
  std::filesystem::path meminfo = "/proc/meminfo";
  std::filesystem::path own_groups = "/proc/self/cgroup";
  std::filesystem::path groups = "/sys/fs/cgroup";
};

/// Bytes that this process could still allocate: the machine's available memory, or less if a
/// control group (version 1 or 2) that contains the process allows less. nullopt if the kernel does
/// not report it.
std::optional<std::uint64_t> available_memory(const MemoryFiles& files = {});

/// The largest resident memory of this process so far, in bytes; 0 if the kernel does not report
/// it. Memory that is shared with other processes now counts in equal parts.
std::uint64_t peak_resident_memory();

/// The largest increase of this process's resident memory since construction, in bytes; 0 if the
/// kernel does not report it. The constructor returns free memory to the kernel, so that it counts
/// when it is used again, and resets peak_resident_memory().
class PeakMemory {
 public:
  PeakMemory();
  std::uint64_t bytes() const;

 private:
  std::uint64_t before_ = 0;
};

}  // namespace cuboid::detail::tools
