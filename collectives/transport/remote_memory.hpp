#pragma once

#include <cuboid/collectives/transport/transport.hpp>
#include <cuboid/collectives/transport/ucx_handles.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid {

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

/// A peer's SharedMemory as seen from here.
class RemoteMemory {
 public:
  RemoteMemory(Transport& transport, int peer, std::span<const std::byte> description);

  std::size_t bytes() const { return bytes_; }
  /// Where it is mapped here; empty where it cannot be.
  std::span<std::byte> direct() const { return direct_; }

  /// Copies that are complete, here and there, once a RemoteFlush started later is done.
  void put(std::span<const std::byte> mine, std::size_t offset);
  void get(std::span<std::byte> mine, std::size_t offset);

 private:
  void require(void* request, const char* what) const;

  Transport* transport_;
  int peer_;
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
  UcxRemoteKey key_;
  std::span<std::byte> direct_;
};

/// Completion of every put and get this rank has started.
class RemoteFlush {
 public:
  explicit RemoteFlush(Transport& transport);
  ~RemoteFlush();
  RemoteFlush(const RemoteFlush&) = delete;
  RemoteFlush& operator=(const RemoteFlush&) = delete;

  /// Throws Error(peer_failed) when one of them failed, as far as UCX says: not where a connection
  /// has ended.
  bool done() const;

 private:
  Transport& transport_;
  void* request_;
};

}  // namespace cuboid
