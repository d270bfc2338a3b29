#pragma once

#include "devices/memory/pinned_block.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace cuboid::detail {

/// Bytes that the network can read and write: a buffer itself, or pinned memory of the host in its
/// place if the buffer lies in a device's memory.
class HostBytes {
 public:
  /// Does not copy anything. Throws std::bad_alloc; Error(io) if the driver fails.
  explicit HostBytes(std::span<std::byte> buffer);

  std::span<std::byte> get() const;
  bool is_copy() const { return block_.has_value(); }
  /// Copies the buffer's content to the host; nothing for a buffer that is used itself. Work of the
  /// device's default stream is done before. Throws Error(io) if a device fails.
  void fetch() const;
  /// Copies the content back to the buffer. Throws as above.
  void give_back() const;

 private:
  std::span<std::byte> buffer_;
  std::optional<PinnedBlock> block_;
};

}  // namespace cuboid::detail
