#pragma once

#include <cuboid/traffic.hpp>

#include "collectives/carrier/peer_information.hpp"
#include "collectives/node/node_messages.hpp"
#include "collectives/node/pending_transfer.hpp"
#include "collectives/node/single_copy.hpp"
#include "collectives/transport/node_agreements.hpp"
#include "collectives/transport/peers.hpp"
#include "collectives/types/tag.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Tagged messages between ranks, straight from and into the caller's memory. Within a node they go
/// through mailboxes and segments if the node has them (NodeMessages); the carrier carries all
/// others. If a node has no mailboxes but its ranks may read each other's memory, a request to send
/// goes in place of a long message: the receiver reads the data from the sender's memory and
/// acknowledges it.
class Messages {
 public:
  /// @param peers  must outlive the object
  /// @param ways   the ways that the ranks of the node have agreed upon
  Messages(Peers& peers, const PeerInformation& peer_information, NodeWays ways);
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Starts a send from, or a receive into, the caller's memory. The memory belongs to the
  /// transport until the transfer is done. Returns true if the transfer is complete at once; `done`
  /// is then not called. Throws Error(peer_failed) if the peer is known to be gone.
  bool send(int peer, const void* data, std::size_t bytes, Tag tag, PendingTransfer& transfer);
  bool receive(int peer, void* data, std::size_t bytes, Tag tag, PendingTransfer& transfer);

  /// The same for a message that needs no waiting: through the mailboxes of the node, to a peer
  /// whose connection is open, or from a peer that has not failed. Returns false if there is no
  /// such message; then nothing has happened.
  bool send_at_once(int peer, const void* data, std::size_t bytes, Tag tag);
  bool receive_at_once(int peer, void* data, std::size_t bytes, Tag tag);

  /// True if data to this peer may stay in this process although its send is complete. Such data
  /// leaves only while this rank calls progress().
  bool may_stay_behind(int peer) const { return carrier_.may_stay_behind(peer); }
  /// Removes the peers to which all data whose send is complete has left this process, and those
  /// whose connection has ended.
  void remove_served(std::vector<int>& peers);

  /// Asks for a transfer in flight to end; its `done` follows from progress().
  void cancel(PendingTransfer& transfer);

  /// Advances the messages that the carrier does not carry. Returns true if anything happened.
  bool progress();

  /// True if messages come in more than one way; only then can has_mismatched_message() find
  /// something.
  bool has_mailboxes() const { return node_messages_.has_value(); }
  /// True if a receive waits in vain because a message with its tag took another way, and so has
  /// another length. If messages match by tag alone, that message may also belong to another
  /// receive, which is yet to be posted. The function searches the messages that have come, so it
  /// is only for callers that have waited long.
  bool has_mismatched_message(int peer, std::size_t bytes, Tag tag);

  /// A failure that says that a peer, which is well, took a message back before it was read.
  Peers::Failure withdrawal(int peer) const;

  Traffic traffic(int peer) const { return at(peer).traffic; }
  void count_sent(int peer, std::size_t bytes, std::size_t messages = 1);
  void count_received(int peer, std::size_t bytes, std::size_t messages = 1);

  /// Prepares this rank for sleep: senders will wake it. Returns false if there is something to do
  /// instead.
  bool fall_asleep() { return !node_messages_ || node_messages_->fall_asleep(); }
  void wake_up() {
    if (node_messages_) node_messages_->wake_up();
  }
  /// Sleeps until a rank of this node sends something, at most for `longest`. Called between
  /// fall_asleep() and wake_up(); needs mailboxes and a carrier that does not wake its rank.
  void sleep(std::chrono::microseconds longest) { node_messages_->sleep(longest); }

  /// Waits a few seconds for messages that found no room to leave.
  void send_rest();
  /// Throws away the messages that peers sent for collectives that this rank gave up.
  void drop_unmatched();

 private:
  struct Partner {
    bool on_node = false;
    std::int64_t process = 0;  // the process of a peer on this node
    int place = -1;  // the peer's place among the ranks of the node; -1 if no mailbox leads to it
    Traffic traffic;
  };

  Partner& make(int peer);
  const Partner& at(int peer) const {
    return partners_[partner_of_[static_cast<std::size_t>(peer)]];
  }
  int place(int peer) const { return at(peer).place; }

  bool in_node(int peer, std::size_t bytes) const;
  bool is_requested(int peer, std::size_t bytes) const;
  bool finish_receive(const PendingTransfer& transfer, std::optional<TransferStatus> outcome);
  std::optional<TransferStatus> land(PendingTransfer& transfer);
  void end_send_requests();
  void lose_neighbours();
  void wake_if_asleep(int peer);

  static void sent(PendingTransfer& transfer, Outcome outcome);
  static void arrived(PendingTransfer& transfer, Outcome outcome);
  static void on_acknowledgement(void* self, std::span<const std::byte> header, std::string_view);

  Peers& peers_;
  Carrier& carrier_;
  bool readable_;  // each rank of this node may read the memory of every other
  std::optional<NodeMessages> node_messages_;
  std::vector<int> here_;                  // the ranks of this node, by place
  std::vector<std::uint32_t> partner_of_;  // by rank, an index of partners_; 0: no partner yet
  std::vector<Partner> partners_ = {{}};
  SendRequests send_requests_;
  bool requests_to_end_ = false;
  std::uint64_t failures_seen_ = 0;
};

}  // namespace cuboid::detail
