#pragma once

#include "collectives/carrier/carrier.hpp"
#include "collectives/transport/memory_exchange.hpp"
#include "collectives/transport/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// Memory of this rank that peers can reach. Zeroed. Throws Error(out_of_memory).
std::shared_ptr<ExposedMemory> share_memory(Transport& transport, std::size_t bytes);

/// What a peer needs to reach it.
std::vector<std::byte> describe_memory(Transport& transport, const ExposedMemory& memory,
                                       MemoryExchange::MemoryNumber number);

/// A put or get under way: nothing any more where memory is shared, by the owner's help, or by the
/// network's remote memory access.
using RemoteOperation = std::variant<std::monostate, std::shared_ptr<MemoryExchange::RemoteAccess>,
                                     std::unique_ptr<RemoteRequest>>;

/// A peer's memory as seen from here.
class RemoteMemory {
 public:
  RemoteMemory(Transport& transport, int peer, std::span<const std::byte> description);

  std::size_t bytes() const { return bytes_; }
  /// Where it is mapped here; empty if it cannot be.
  std::span<std::byte> direct() const {
    return reached_ ? reached_->direct() : std::span<std::byte>();
  }

  /// Copies. What the network does is complete, here and there, once a flush started later is done;
  /// its request of a get is done once all of `mine` is there.
  RemoteOperation put(std::span<const std::byte> mine, std::size_t offset);
  RemoteOperation get(std::span<std::byte> mine, std::size_t offset);

 private:
  Transport* transport_;
  int peer_;
  MemoryExchange::MemoryNumber number_{};
  std::size_t bytes_ = 0;
  std::unique_ptr<ReachedMemory> reached_;  // none where the owner helps
};

}  // namespace cuboid::detail
