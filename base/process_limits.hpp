#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// True if this process may make a file of so many bytes; memory that has a descriptor counts, too.
/// Where it may not (ulimit -f), the kernel ends it with SIGXFSZ unless it ignores that.
bool may_make_file_of(std::uint64_t bytes);

/// Bytes that this process may still map; nullopt where it has no limit (ulimit -v).
std::optional<std::uint64_t> mappable_bytes();

/// The number of file descriptors that this process may have, and whether so many are free.
std::uint64_t most_descriptors();
bool has_free_descriptors(std::size_t wanted);

}  // namespace cuboid::detail
