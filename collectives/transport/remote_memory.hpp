#pragma once

#include "collectives/transport/transport.hpp"
#include "collectives/transport/ucx_handles.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// Memory of this rank, registered so that peers can reach it; on the same node they can map it.
class SharedMemory {
 public:
  /// Zeroed. Throws Error(out_of_memory).
  SharedMemory(Transport& transport, std::size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  std::span<std::byte> bytes() const { return {address_, bytes_}; }
  /// What a peer needs to reach it.
  std::vector<std::byte> description() const;

 private:
  Transport* transport_;
  ucp_mem_h handle_ = nullptr;
  std::byte* address_ = nullptr;
  std::size_t bytes_;
};

/// Puts and gets in flight, as UCX calls them. It ends them also when this is destroyed.
class RemoteRequest {
 public:
  /// Takes what UCX returned.
  explicit RemoteRequest(void* request);
  /// Of every put and get that this rank has started.
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

/// A peer's SharedMemory as seen from here.
class RemoteMemory {
 public:
  RemoteMemory(Transport& transport, int peer, std::span<const std::byte> description);

  std::size_t bytes() const { return bytes_; }
  /// Where it is mapped here; empty if it cannot be.
  std::span<std::byte> direct() const { return direct_; }

  /// Copies that are complete, here and there, once a flush started later is done. The request of a
  /// get is done once all of `mine` is there.
  RemoteRequest put(std::span<const std::byte> mine, std::size_t offset);
  RemoteRequest get(std::span<std::byte> mine, std::size_t offset);

 private:
  Transport* transport_;
  int peer_;
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
  UcxRemoteKey key_;
  std::span<std::byte> direct_;
};

}  // namespace cuboid::detail
