#pragma once

#include "collectives/transport/memory_exchange.hpp"
#include "collectives/transport/transport.hpp"
#include "collectives/transport/ucx_handles.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// Memory of this rank, registered so that peers can reach it; on the same node they can map it.
class SharedMemory {
 public:
  /// Zeroed. Throws Error(out_of_memory).
  SharedMemory(Transport& transport, std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::span<std::byte> bytes() const { return {address_, bytes_}; }
  /// What a peer needs to reach it.
  std::vector<std::byte> description(MemoryExchange::MemoryNumber number) const;

 private:
  Transport* transport_;
  ucp_mem_h handle_ = nullptr;
  std::byte* address_ = nullptr;
  std::size_t bytes_;
};

/// What UCX does with remote memory. It ends also when this is destroyed.
class RemoteRequest {
 public:
  /// Takes what UCX returned.
  explicit RemoteRequest(void* request);
  /// Of every put and get that UCX has started for this rank.
  static RemoteRequest flush(Transport& transport);

  bool done() const { return status() == UCS_OK; }
  /// As far as UCX says: not where a connection has ended.
  bool failed() const { return UCS_STATUS_IS_ERR(status()); }
  /// "UCX: Connection reset by remote peer"
  std::string reason() const;

 private:
  ucs_status_t status() const;

  UcxRequest request_;               // none where it ended at once
  ucs_status_t immediate_ = UCS_OK;  // how
};

/// A put or get under way: nothing any more where memory is shared, by the owner's help, or by the
/// network's remote memory access.
using RemoteOperation =
    std::variant<std::monostate, std::shared_ptr<MemoryExchange::Operation>, RemoteRequest>;

/// A peer's SharedMemory as seen from here.
class RemoteMemory {
 public:
  RemoteMemory(Transport& transport, int peer, std::span<const std::byte> description);

  std::size_t bytes() const { return bytes_; }
  /// Where it is mapped here; empty if it cannot be.
  std::span<std::byte> direct() const { return direct_; }

  /// Copies. What the network does is complete, here and there, once a flush started later is done;
  /// its request of a get is done once all of `mine` is there.
  RemoteOperation put(std::span<const std::byte> mine, std::size_t offset);
  RemoteOperation get(std::span<std::byte> mine, std::size_t offset);

 private:
  Transport* transport_;
  int peer_;
  MemoryExchange::MemoryNumber number_{};
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
  UcxRemoteKey key_;  // none where the owner helps
  std::span<std::byte> direct_;
};

}  // namespace cuboid::detail
