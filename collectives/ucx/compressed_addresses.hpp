#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The addresses of many, each kept as what differs from the first: most of what UCX says of a
/// worker is alike on all ranks (which transports there are, and how good).
class CompressedAddresses {
 public:
  using Bytes = std::vector<std::byte>;

  /// Throws Error(internal) for an address of 64 KiB or more.
  explicit CompressedAddresses(const std::vector<Bytes>& addresses);

  std::size_t size() const { return begins_.size(); }
  /// The address of one.
  Bytes at(std::size_t number) const;

 private:
  void add(const Bytes& address);

  Bytes first_;
  /// One after the other: the length, two bytes, and runs of what differs, each with how many bytes
  /// it skips and has, a byte each.
  Bytes differences_;
  std::vector<std::uint32_t> begins_;  // where each begins: all take far less than 4 GiB
};

}  // namespace cuboid::detail
