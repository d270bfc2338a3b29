#pragma once

#include "base/clock.hpp"
#include "collectives/node/pending_transfer.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// What a short message outside of all matching is about.
enum class ControlMessage : std::uint8_t {
  notice,           ///< a rank leaves, gives up, or has seen another fail
  acknowledgement,  ///< a request to send was served
  wake,             ///< there is something in the mailbox
  memory_request,   ///< a put or get, for the memory's owner to serve
  memory_answer,    ///< a put was served, or a request was refused
  connection,       ///< the carrier's own: asks for, or says, that the peer's connection is open
  follow_up,        ///< nothing: when it has left, all that was sent before it has left, too
};
inline constexpr std::size_t control_messages = 7;

/// Takes in a word that has come. Called from inside progress(), so it throws nothing.
struct Listener {
  void (*receive)(void* self, std::span<const std::byte> header, std::string_view text) = nullptr;
  void* self = nullptr;
};

/// Memory of this rank that peers can reach. Zeroed.
class ExposedMemory {
 public:
  virtual ~ExposedMemory() = default;
  virtual std::span<std::byte> bytes() const = 0;
  /// What a peer needs to reach it. Throws Error(unsupported).
  virtual std::vector<std::byte> key() const = 0;
};

/// A put, a get or a flush that the network does by itself. It ends also when this is destroyed.
class RemoteRequest {
 public:
  virtual ~RemoteRequest() = default;
  virtual bool done() const = 0;
  /// As far as the carrier says: not where a connection has ended.
  virtual bool failed() const = 0;
  virtual std::string reason() const = 0;
};

/// A peer's ExposedMemory as seen from here.
class ReachedMemory {
 public:
  virtual ~ReachedMemory() = default;
  /// Where it is mapped here; empty if it cannot be. Only then the two below are called.
  virtual std::span<std::byte> direct() const = 0;
  virtual std::unique_ptr<RemoteRequest> put(std::span<const std::byte> mine,
                                             std::size_t offset) = 0;
  virtual std::unique_ptr<RemoteRequest> get(std::span<std::byte> mine, std::size_t offset) = 0;
};

/// What carries bytes between the ranks of one world: all that Transport needs of UCX or of MPI.
/// Knows nothing of the ranks' affairs: who left and who failed is for Peers to say. Belongs to one
/// thread.
class Carrier {
 public:
  virtual ~Carrier() = default;

  /// As CUBOID_TRANSPORT names it.
  virtual std::string_view name() const = 0;
  /// What measured parameters hold for, e.g. "tcp/eth0".
  virtual std::vector<std::string> ways() const = 0;

  /// Has the end of a connection told, if it ended by itself: from inside progress().
  using Ended = std::function<void(int peer, const char* reason)>;
  void tell_ends(Ended ended) { ended_ = std::move(ended); }
  /// Has it told that nothing will be carried from now on, while it still can be: MPI_Finalize().
  void tell_close(std::function<void()> closes) { closes_ = std::move(closes); }
  void listen(ControlMessage word, Listener listener) {
    listeners_[static_cast<std::size_t>(word)] = listener;
  }

  virtual bool is_open(int peer) const = 0;
  /// Whether the carrier has said that the connection is no more.
  virtual bool has_ended(int peer) const = 0;
  /// Opens the connection to a peer. The reason where there is none to be had; else nullptr.
  virtual const char* open(int peer) = 0;
  /// Starts to close a connection; what was sent on it leaves first.
  virtual void close(int peer) = 0;
  /// The same without waiting: what is under way ends as failed.
  virtual void cut(int peer) = 0;
  /// Progresses until all words have left and closed connections are so, or patience has ended:
  /// these are waited for no longer.
  virtual void settle(std::chrono::duration<double> patience) = 0;

  /// Starts a send from, or a receive into, the caller's memory, under a tag. Where it is under way
  /// then, the transfer's `request` is set, and its `ended` is called once from inside progress().
  /// The connection must be open for a send.
  virtual Outcome send(int peer, const void* data, std::size_t bytes, std::uint64_t tag,
                       PendingTransfer& transfer) = 0;
  virtual Outcome receive(int peer, void* data, std::size_t bytes, std::uint64_t tag,
                          PendingTransfer& transfer) = 0;
  /// Asks for a transfer under way to end.
  virtual void cancel(PendingTransfer& transfer) = 0;
  /// Whether a message has come that nobody has received.
  virtual bool has_come(int peer, std::uint64_t tag) = 0;
  /// Throws such messages away.
  virtual void drop_unmatched(std::chrono::duration<double> patience) = 0;

  /// Sends a word on an open connection. Copies it. With a `waiter` as send() does.
  virtual Outcome send_control(int peer, ControlMessage word, std::span<const std::byte> header,
                               std::string_view text, PendingTransfer* waiter = nullptr) = 0;

  /// Whether data to this peer may stay behind although its send is complete: it leaves only while
  /// this rank calls progress().
  virtual bool may_stay_behind(int peer) const = 0;
  /// Whether any does now. A few nanoseconds; may be wrong if it says yes.
  virtual bool stays_behind() = 0;

  /// Returns whether anything happened.
  virtual bool progress() = 0;
  /// Before this rank sleeps: false where there is something to do instead.
  virtual bool arm() = 0;
  /// Waits for so long; until something has come, where the carrier wakes its rank.
  virtual void sleep(std::chrono::microseconds longest) = 0;
  virtual bool wakes() const = 0;

  /// Whether the network lets ranks reach each other's memory by itself (RDMA).
  virtual bool has_remote_access() const = 0;
  /// Throws Error(out_of_memory).
  virtual std::unique_ptr<ExposedMemory> expose(std::size_t bytes) = 0;
  /// nullptr where it can be reached by its owner's help only. Throws Error(unsupported).
  /// @param remote_access  whether the owner's network has it
  virtual std::unique_ptr<ReachedMemory> reach(int peer, std::span<const std::byte> key,
                                               std::span<std::byte> there, bool remote_access) = 0;
  /// Of every put and get started before.
  virtual std::unique_ptr<RemoteRequest> flush() = 0;

  /// Carries nothing from now on: no memory is written to or read from afterwards.
  virtual void stop() = 0;

 protected:
  const Listener& listener(ControlMessage word) const {
    return listeners_[static_cast<std::size_t>(word)];
  }
  void report_end(int peer, const char* reason) const {
    if (ended_) ended_(peer, reason);
  }
  void report_close() const {
    if (closes_) closes_();
  }

 private:
  Ended ended_;
  std::function<void()> closes_;
  Listener listeners_[control_messages];
};

}  // namespace cuboid::detail
