#pragma once

#include "collectives/carrier/carrier.hpp"
#include "collectives/transport/memory_exchange.hpp"
#include "collectives/transport/transport.hpp"
#include "devices/cuda/cuda_device.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// Makes zeroed memory of this rank that peers can reach. Throws Error(out_of_memory).
/// @param device  the device whose memory it is; nullptr for the host's
std::shared_ptr<ExposedMemory> share_memory(Transport& transport, std::size_t bytes,
                                            const CudaDevice* device);

/// The bytes that a peer needs to reach the memory.
std::vector<std::byte> describe_memory(Transport& transport, const ExposedMemory& memory,
                                       MemoryExchange::MemoryNumber number, bool on_device);

/// A put or get under way. The alternatives: nothing, because shared memory was copied at once; a
/// request that the owner serves; or a request of the network's remote memory access.
using RemoteOperation = std::variant<std::monostate, std::shared_ptr<MemoryExchange::RemoteAccess>,
                                     std::unique_ptr<RemoteRequest>>;

/// A peer's memory as this rank sees it.
class RemoteMemory {
 public:
  /// @param device  the device that opens other memory of devices; nullptr: that is served
  RemoteMemory(Transport& transport, int peer, std::span<const std::byte> description,
               const CudaDevice* device);

  std::size_t bytes() const { return bytes_; }
  /// The place where the memory is mapped in this process; empty if it is not mapped. It may be a
  /// device's memory.
  std::span<std::byte> direct() const {
    return reached_ ? reached_->direct() : std::span<std::byte>();
  }

  /// Copies between `mine` and the peer's memory at this offset in bytes. What the network does is
  /// complete at both ends when a flush started later is done. The request of a get is done when
  /// all of `mine` has come. Unless the memory is mapped, the host must be able to touch `mine`.
  RemoteOperation put(std::span<const std::byte> mine, std::size_t offset);
  RemoteOperation get(std::span<std::byte> mine, std::size_t offset);

 private:
  Transport* transport_;
  int peer_;
  MemoryExchange::MemoryNumber number_{};
  std::size_t bytes_ = 0;
  std::unique_ptr<ReachedMemory> reached_;  // nullptr if the owner serves the requests
};

}  // namespace cuboid::detail
