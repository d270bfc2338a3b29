#pragma once

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

/// What a short message is about that goes to a Listener and meets no receive.
enum class ControlMessage : std::uint8_t {
  notice,           ///< a rank leaves, gives up, or has seen another rank fail
  acknowledgement,  ///< a request to send was served
  wake,             ///< an entry lies in the mailbox of the rank, which sleeps
  memory_request,   ///< a put or get, for the memory's owner to serve
  memory_answer,    ///< a put was served, or a request was refused
  connection,  ///< the carrier's own word: asks if the peer's connection is open, or says that it
               ///< is
  follow_up,   ///< no content: when it has left, everything sent before it has left
};
inline constexpr std::size_t control_messages = 7;

/// Takes in a word that has come. It is called from inside progress(), so it must not throw.
struct Listener {
  void (*receive)(void* self, std::span<const std::byte> header, std::string_view text) = nullptr;
  void* self = nullptr;
};

/// Memory of this rank that peers can reach. It is zeroed.
class ExposedMemory {
 public:
  virtual ~ExposedMemory() = default;
  virtual std::span<std::byte> bytes() const = 0;
  /// The bytes that a peer needs to reach the memory. Throws Error(unsupported).
  virtual std::vector<std::byte> key() const = 0;
};

/// A put, a get or a flush that the network does by itself. Destroying the object ends it, too.
class RemoteRequest {
 public:
  virtual ~RemoteRequest() = default;
  virtual bool done() const = 0;
  /// True if the carrier has reported that the request failed. An ended connection alone does not
  /// make it true.
  virtual bool failed() const = 0;
  virtual std::string reason() const = 0;
};

/// A peer's ExposedMemory as this rank sees it.
class ReachedMemory {
 public:
  virtual ~ReachedMemory() = default;
  /// The place where the memory is mapped in this process; empty if it is not mapped. Only then may
  /// put() and get() be called.
  virtual std::span<std::byte> direct() const = 0;
  virtual std::unique_ptr<RemoteRequest> put(std::span<const std::byte> mine,
                                             std::size_t offset) = 0;
  virtual std::unique_ptr<RemoteRequest> get(std::span<std::byte> mine, std::size_t offset) = 0;
};

/// Carries bytes between the ranks of one world: everything that Transport needs of UCX or of MPI.
/// It does not know which ranks left or failed; Peers knows that. Belongs to one thread.
class Carrier {
 public:
  virtual ~Carrier() = default;

  /// The carrier's name in CUBOID_TRANSPORT.
  virtual std::string_view name() const = 0;
  /// The transports that measured parameters depend on, e.g. "tcp/eth0".
  virtual std::vector<std::string> ways() const = 0;

  /// Sets a function that is called from inside progress() when a connection has ended by itself.
  using Ended = std::function<void(int peer, const char* reason)>;
  void tell_ends(Ended ended) { ended_ = std::move(ended); }
  /// Sets a function that is called just before the carrier can carry nothing more, while it still
  /// can. That happens at MPI_Finalize().
  void tell_close(std::function<void()> closes) { closes_ = std::move(closes); }
  void listen(ControlMessage word, Listener listener) {
    listeners_[static_cast<std::size_t>(word)] = listener;
  }

  virtual bool is_open(int peer) const = 0;
  /// True if the carrier has reported the end of the connection.
  virtual bool has_ended(int peer) const = 0;
  /// Opens the connection to a peer. Returns nullptr, or the reason if it cannot be opened.
  virtual const char* open(int peer) = 0;
  /// Starts to close a connection. What was sent on it leaves first.
  virtual void close(int peer) = 0;
  /// Starts to close a connection without that wait: transfers under way end as failed.
  virtual void cut(int peer) = 0;
  /// Progresses until all words have left and all connections that were to be closed are closed, at
  /// most for `patience`. Those left over are not waited for any more.
  virtual void settle(std::chrono::duration<double> patience) = 0;

  /// Starts a send from, or a receive into, the caller's memory, under a tag. If it is under way
  /// afterwards, the transfer's `request` is set, and its `ended` is called once from inside
  /// progress(). For a send the connection must be open.
  virtual Outcome send(int peer, const void* data, std::size_t bytes, std::uint64_t tag,
                       PendingTransfer& transfer) = 0;
  virtual Outcome receive(int peer, void* data, std::size_t bytes, std::uint64_t tag,
                          PendingTransfer& transfer) = 0;
  /// Asks for a transfer under way to end.
  virtual void cancel(PendingTransfer& transfer) = 0;
  /// True if a message with this tag has come that nobody has received.
  virtual bool has_come(int peer, std::uint64_t tag) = 0;
  /// Throws away all messages that have come and that nobody has received.
  virtual void drop_unmatched(std::chrono::duration<double> patience) = 0;

  /// Copies a word and sends it on an open connection. If it is under way afterwards, `ended` of
  /// the `waiter` follows, as for send(). It may leave only when the peer calls progress().
  virtual Outcome send_control(int peer, ControlMessage word, std::span<const std::byte> header,
                               std::string_view text, PendingTransfer* waiter = nullptr) = 0;

  /// True if data to this peer may stay in this process although its send is complete. Such data
  /// leaves only while this rank calls progress().
  virtual bool may_stay_behind(int peer) const = 0;
  /// True if data to some peer may now stay in this process. Takes a few nanoseconds; true may be
  /// wrong, false is right.
  virtual bool stays_behind() = 0;
  /// True if all data whose send to this peer is complete has left this process, or the connection
  /// has ended. The peer need not call progress().
  virtual bool has_left(int peer) = 0;

  /// Lets the network work. Returns true if anything happened.
  virtual bool progress() = 0;
  /// Prepares this rank for sleep. Returns false if there is something to do instead.
  virtual bool arm() = 0;
  /// Sleeps at most for `longest`. If the carrier wakes its rank, the sleep ends when something has
  /// come.
  virtual void sleep(std::chrono::microseconds longest) = 0;
  virtual bool wakes() const = 0;

  /// True if the network lets ranks reach each other's memory by itself (RDMA).
  virtual bool has_remote_access() const = 0;
  /// Makes memory that peers can reach. Throws Error(out_of_memory).
  virtual std::unique_ptr<ExposedMemory> expose(std::size_t bytes) = 0;
  /// Reaches a peer's memory. Returns nullptr if it can be reached only with its owner's help.
  /// Throws Error(unsupported).
  /// @param key            the peer's ExposedMemory::key()
  /// @param there          the address and length of the memory in the peer
  /// @param remote_access  true if the owner's network has remote memory access
  virtual std::unique_ptr<ReachedMemory> reach(int peer, std::span<const std::byte> key,
                                               std::span<std::byte> there, bool remote_access) = 0;
  /// A request that is done when every put and get started before is complete.
  virtual std::unique_ptr<RemoteRequest> flush() = 0;

  /// Ends all traffic: afterwards no memory is written to or read from.
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
