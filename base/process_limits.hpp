#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// True if this process may make a file of `bytes` bytes. Memory with a file descriptor counts,
/// too. If the process exceeds its limit (ulimit -f), the kernel ends it with SIGXFSZ unless it
/// ignores that signal.
bool may_make_file_of(std::uint64_t bytes);

/// The bytes that this process may still map; nullopt if it has no limit (ulimit -v).
std::optional<std::uint64_t> mappable_bytes();

/// most_descriptors(): the number of file descriptors that this process may have.
/// has_free_descriptors(): true if `wanted` of them are free.
std::uint64_t most_descriptors();
bool has_free_descriptors(std::size_t wanted);

}  // namespace cuboid::detail
