#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/discovery.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/log.hpp>
#include <cuboid/traffic.hpp>

#include "collectives/transport/pending_transfer.hpp"
#include "collectives/transport/short_messages.hpp"
#include "collectives/transport/single_copy.hpp"
#include "collectives/transport/ucx_handles.hpp"
#include "collectives/transport/waiting.hpp"
#include "collectives/types/tag.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Moves segments between the ranks of one bootstrap over UCX: shared memory within a node, TCP or
/// RDMA between nodes. Long messages within a node are copied once, by the receiver, straight from
/// the sender's memory; the shortest, where ranks are processes with cores of their own, go through
/// mailboxes. Belongs to one thread. Knows ranks of its world only; groups are the
/// communicator's affair.
class Transport {
 public:
  /// Collective over the bootstrap, which is used here only.
  Transport(Bootstrap& bootstrap, const Environment& environment);
  /// Takes leave of the connected peers and gives what was sent a few seconds to go out. Not
  /// collective.
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }
  const std::string& host(int peer) const { return at(peer).host; }
  bool same_node(int peer) const { return at(peer).node == at(rank_).node; }
  /// Whether a peer is a thread of this rank's process.
  bool same_process(int peer) const {
    return same_node(peer) && at(peer).memory.process == at(rank_).memory.process;
  }
  const Environment& environment() const { return environment_; }
  const Logger& logger() const { return logger_; }
  /// What network the ranks are on; nullopt if all share a node, and none matters.
  const std::optional<Discovery>& discovery() const { return discovery_; }
  WaitPolicy wait_policy() const { return wait_policy_; }
  /// On this machine: how many ranks share each core that ranks may use; at least 1.
  double ranks_per_core() const;

  /// Starts a send from, or a receive into, the caller's memory, which stays the transport's until
  /// the transfer is done. Returns true when it is complete at once (`done` is then not called).
  /// Connects on first use. Throws Error(peer_failed) if the peer is known to be gone.
  bool send(int peer, const void* data, std::size_t bytes, Tag tag, PendingTransfer& transfer);
  bool receive(int peer, void* data, std::size_t bytes, Tag tag, PendingTransfer& transfer);

  /// Whether messages come in more than one way, so that has_mismatched_message() has something to
  /// say.
  bool has_mailboxes() const { return short_messages_.has_value(); }
  /// Whether a receive waits in vain because the message that came under its tag is of another
  /// kind, and so of another length. Looks through what has come: for those who have waited long.
  bool has_mismatched_message(int peer, std::size_t bytes, Tag tag);

  /// Asks for a transfer in flight to end; its `done` follows from progress().
  void cancel(PendingTransfer& transfer);

  /// Lets UCX work; calls `done` of what has completed. Returns whether anything happened.
  bool progress();

  /// One step of a wait in which progress() found nothing: polls on, yields, or sleeps until a
  /// message or `until`.
  Pause pause(Backoff& backoff, std::chrono::steady_clock::time_point until);

  /// Changes whenever a peer is found to have failed, left or aborted.
  std::uint64_t failures() const { return failures_; }
  /// Whether a peer died or gave up, rather than left when its work was done.
  bool failed(int peer) const { return at(peer).health == Health::failed; }
  /// Why a peer cannot be communicated with, e.g. "on n2 died (Connection reset)", without its
  /// rank, which communicators number otherwise; nullopt while it can.
  std::optional<std::string> failure(int peer) const;
  /// The same where the peer, which cannot be communicated with or whose connection has ended, is
  /// needed: if it went without a word, it has failed, and the others are told.
  std::string missed(int peer);
  /// Whether nothing is known of a peer that would keep it from reading and being read. Sooner than
  /// failed(), which waits for word of why a connection has ended.
  bool connected(int peer) const {
    return at(peer).health == Health::good && !at(peer).connection_ended;
  }
  /// The same of a peer that is well and gave up on a message before it was read.
  std::string withdrawal(int peer) const;
  /// Gives up on a peer: everything in flight with it ends as failed.
  void disconnect(int peer);

  /// Tells every peer that this rank gives up, and takes no further part: for transfers that UCX
  /// cannot end, as their data may already be coming. No caller's memory is written to or read from
  /// afterwards; to this rank all peers have failed.
  void quarantine(const std::string& reason) noexcept;
  bool silent() const { return silent_; }

  /// Tells every peer that this rank gives up, and why. Waits a moment for the notices to leave.
  void abort(std::string_view reason) noexcept;

  const Traffic& traffic(int peer) const { return at(peer).traffic; }

  // For Window, which moves data by remote memory access instead of messages.
  ucp_context_h ucx_context() const { return context_.get(); }
  ucp_worker_h ucx_worker() const { return worker_.get(); }
  ucp_ep_h ucx_endpoint(int peer) { return endpoint(peer); }
  Traffic& traffic_of(int peer) { return at(peer).traffic; }

 private:
  // Gone is one whose connection has ended without a word: it has died or, if it never sent this
  // rank anything, left when its work was done. It has died if it is missed.
  enum class Health { good, left, gone, failed };

  // A peer to which there is no connection, or none any more, but whose word may be in flight.
  struct Suspect {
    int peer;
    ucs_status_t status;
    std::chrono::steady_clock::time_point until;
  };

  struct Peer {
    std::vector<std::byte> address;
    std::string host;
    std::string node;     // equal where memory can be shared
    std::string machine;  // equal where cores are shared
    CoreSet cores;
    MemoryProbe memory;
    bool single_copy = false;  // whether each can read the other's memory
    int place = -1;            // among the ranks of the node; -1 if mailboxes do not lead there
    ucp_ep_h endpoint = nullptr;
    bool connection_ended = false;  // as UCX says of the endpoint
    Health health = Health::good;
    std::string reason;
    Traffic traffic;
  };

  enum class Notice : std::uint8_t { goodbye, abort, peer_failed };
  struct NoticeHeader {
    Notice notice;
    std::int32_t sender;
    std::int32_t subject;
  };
  struct NoticeMessage {
    NoticeHeader header;
    std::string reason;
  };

  Transport(Bootstrap& bootstrap, const Environment& environment, Ucx ucx);

  const Peer& at(int peer) const { return peers_[static_cast<std::size_t>(peer)]; }
  Peer& at(int peer) { return peers_[static_cast<std::size_t>(peer)]; }

  void sleep(std::chrono::steady_clock::time_point until);
  void exchange_addresses(Bootstrap& bootstrap);
  void agree_on_single_copies(Bootstrap& bootstrap);
  void open_mailboxes(Bootstrap& bootstrap);
  std::vector<int> ranks_of_node() const;
  bool wants_mailboxes(const std::vector<int>& here) const;
  bool in_mailbox(int peer, std::size_t bytes, Tag tag) const;
  void count_sent(int peer, std::size_t bytes);
  void count_received(int peer, std::size_t bytes);
  bool finish_receive(const PendingTransfer& transfer, std::optional<TransferStatus> outcome);
  void wake(int peer);
  void send_rest_of_short_messages();
  bool single_copy(int peer, std::size_t bytes) const;
  void arrived(PendingTransfer& transfer, ucs_status_t status, std::size_t bytes);
  std::optional<TransferStatus> land(PendingTransfer& transfer);
  void end_offers();
  WaitPolicy policy_for_peers() const;
  ucs_status_t connect(int peer);
  ucp_ep_h endpoint(int peer);
  void watch_peers();
  void suspect(int peer, ucs_status_t status);
  void* send_notice(int peer, Notice notice, int subject, std::string_view reason);
  void notify_all(Notice notice, int subject, std::string_view reason);
  void mark(int peer, Health health, std::string reason);
  void peer_failed(int peer, std::string_view reason);
  void announce_failures();
  void drop_unmatched();
  bool settle(std::vector<void*>& requests, std::chrono::duration<double> patience);
  void close(Peer& peer, unsigned flags, std::vector<void*>& requests);

  static void sent(void* request, ucs_status_t status, void* transfer);
  static ucs_status_t on_taken(void* self, const void* header, std::size_t header_bytes, void* data,
                               std::size_t bytes, const ucp_am_recv_param_t* parameters);
  static ucs_status_t on_notice(void* self, const void* header, std::size_t header_bytes,
                                void* data, std::size_t bytes,
                                const ucp_am_recv_param_t* parameters);
  static void on_endpoint_error(void* self, ucp_ep_h endpoint, ucs_status_t status);

  Environment environment_;
  int rank_;
  Logger logger_;
  WaitPolicy wait_policy_{};
  // Outlive the worker: UCX never says that it is done with one to a peer that is gone.
  std::vector<std::unique_ptr<NoticeMessage>> notices_;
  MemoryBeacon memory_beacon_;
  OfferBook offers_;
  bool offers_to_end_ = false;
  UcxContext context_;
  UcxWorker worker_;
  int event_descriptor_ = -1;
  std::vector<Peer> peers_;
  std::optional<ShortMessages> short_messages_;
  std::optional<Discovery> discovery_;
  bool silent_ = false;
  std::uint64_t failures_ = 0;
  std::vector<int>
      unannounced_failures_;    // found inside a UCX callback, told to the others outside of it
  std::vector<int> unwatched_;  // waited for, without an endpoint that would tell of their death
  std::vector<Suspect> suspects_;
  unsigned idle_polls_ = 0;
};

}  // namespace cuboid::detail
