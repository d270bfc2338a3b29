#pragma once

#include "collectives/node/pending_transfer.hpp"
#include "collectives/transport/messages.hpp"
#include "collectives/transport/peers.hpp"
#include "devices/memory/host_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Puts and gets by messages: the origin asks, and the owner of the memory sends or receives the
/// data when it makes progress. This serves networks without remote memory access. (UCX emulates it
/// there in a way that survives neither the end of a peer nor the end of the memory.)
class MemoryExchange {
 public:
  /// Distinguishes a memory of this rank from all its other memories, past and present.
  enum class MemoryNumber : std::uint64_t {};

  /// A put or get of this rank. It ends with the data moved or with a reason. Its transfer can be
  /// taken back (see reclaim_buffers()).
  class RemoteAccess : public PendingTransfer {
   public:
    bool complete() const { return state_ == AccessState::complete; }
    bool failed() const { return state_ == AccessState::failed; }
    const std::string& reason() const { return reason_; }

   private:
    friend MemoryExchange;
    enum class AccessState { under_way, complete, failed };
    MemoryExchange* owner_ = nullptr;
    std::uint64_t number_ = 0;
    AccessState state_ = AccessState::under_way;
    bool data_moved_ = false;
    bool answered_ = false;  // the owner has answered; a get needs no answer but its data
    std::string reason_;
  };

  /// Both references must outlive the object.
  MemoryExchange(Peers& peers, Messages& messages);
  ~MemoryExchange();
  MemoryExchange(const MemoryExchange&) = delete;
  MemoryExchange& operator=(const MemoryExchange&) = delete;

  /// Serves requests for a memory from now on.
  MemoryNumber add(std::shared_ptr<const ExposedMemory> memory);
  /// Refuses requests for a memory from now on. Requests that are being served keep the memory
  /// alive until they end.
  void remove(MemoryNumber memory);

  /// Starts to copy to or from a peer's memory. `mine` must stay until the operation has ended or
  /// was taken back. Throws Error(peer_failed) if the peer is known to be gone.
  std::shared_ptr<RemoteAccess> put(std::span<const std::byte> mine, int peer, MemoryNumber memory,
                                    std::size_t offset);
  std::shared_ptr<RemoteAccess> get(std::span<std::byte> mine, int peer, MemoryNumber memory,
                                    std::size_t offset);

  /// Serves requests that have come. Returns true if anything happened.
  bool progress();
  /// Lets go of all memory. Allowed only when the carrier has stopped.
  void drop_services();

 private:
  enum class AccessKind : std::uint32_t { put, get };
  struct AccessRequest {
    AccessKind kind;
    std::int32_t origin;
    std::uint64_t number;  // counts the origin's operations
    MemoryNumber memory;
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  struct AccessAnswer {
    std::uint64_t number;
    bool served;
  };
  // A request that is being served.
  struct Service : PendingTransfer {
    MemoryExchange* exchange;
    std::shared_ptr<const ExposedMemory> memory;
    AccessRequest request;
    std::optional<HostBytes> content;  // the part of the memory that is asked for
    bool ended;
    bool succeeded;

    void end(bool success);
  };

  std::shared_ptr<RemoteAccess> start(int peer);
  void serve(const AccessRequest& request);
  void take_in(const AccessAnswer& answer);
  void settle(RemoteAccess& operation);
  void send_control(int peer, ControlMessage word, std::span<const std::byte> header);
  static Tag tag(AccessKind kind, std::uint64_t number, int sender);
  static void on_request(void* self, std::span<const std::byte> header, std::string_view);
  static void on_answer(void* self, std::span<const std::byte> header, std::string_view);

  Peers& peers_;
  Messages& messages_;
  std::uint64_t memories_ = 0;
  std::map<MemoryNumber, std::shared_ptr<const ExposedMemory>> memory_;
  std::uint64_t started_ = 0;
  std::map<std::uint64_t, std::shared_ptr<RemoteAccess>> operations_;  // under way, by number
  std::vector<AccessRequest> requests_;                                // to be served
  std::list<Service> services_;
  bool any_service_ended_ = false;
};

}  // namespace cuboid::detail
