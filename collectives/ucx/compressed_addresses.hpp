#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The UCX addresses of all ranks. Each is kept as its differences from the first address, because
/// most of an address is alike on all ranks (which transports there are, and how good).
class CompressedAddresses {
 public:
  using Bytes = std::vector<std::byte>;

  /// Throws Error(internal) for an address of 64 KiB or more.
  explicit CompressedAddresses(const std::vector<Bytes>& addresses);

  std::size_t size() const { return begins_.size(); }
  /// The address with this number, uncompressed.
  Bytes at(std::size_t number) const;

 private:
  void add(const Bytes& address);

  Bytes first_;
  /// The addresses one after the other. Each begins with its length in two bytes. Then come runs of
  /// bytes that differ: a byte with the number of bytes to skip, a byte with the number of bytes in
  /// the run, and these bytes.
  Bytes differences_;
  // Where each address begins; all together take far less than 4 GiB.
  std::vector<std::uint32_t> begins_;
};

}  // namespace cuboid::detail
