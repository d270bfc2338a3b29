#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace cuboid::detail {

/// Zeroed memory of this process that other processes of the node can map.
class SharedSegment {
 public:
  /// Where other processes find the memory.
  struct SegmentAddress {
    std::int64_t process = 0;
    std::int32_t descriptor = -1;
  };

  /// Throws Error(out_of_memory).
  explicit SharedSegment(std::size_t bytes);
  /// Maps the memory of another process; returns nullopt if the system does not allow it.
  static std::optional<SharedSegment> map(const SegmentAddress& place, std::size_t bytes);

  SharedSegment(SharedSegment&& other) noexcept;
  SharedSegment& operator=(SharedSegment&& other) noexcept;
  ~SharedSegment();

  std::span<std::byte> bytes() const { return bytes_; }
  SegmentAddress place() const;
  /// Forbids further processes to map the memory. Processes that have mapped it keep it.
  void close();

 private:
  SharedSegment() = default;

  int descriptor_ = -1;  // open only in the owner
  std::span<std::byte> bytes_;
};

}  // namespace cuboid::detail
