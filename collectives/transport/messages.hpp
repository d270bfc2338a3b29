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
/// through mailboxes and segments where there are such (NodeMessages); all others the carrier
/// carries. Where a node has no mailboxes, but its ranks may read each other's memory, a request to
/// send goes ahead of a long message: the receiver reads the data from the sender's memory and says
/// so.
class Messages {
 public:
  /// `peers` must outlive this.
  Messages(Peers& peers, const PeerInformation& peer_information, NodeWays ways);
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Starts a send from, or a receive into, the caller's memory, which stays the transport's until
  /// the transfer is done. Returns true when it is complete at once (`done` is then not called).
  /// Throws Error(peer_failed) when the peer is known to be gone.
  bool send(int peer, const void* data, std::size_t bytes, Tag tag, PendingTransfer& transfer);
  bool receive(int peer, void* data, std::size_t bytes, Tag tag, PendingTransfer& transfer);

  /// Whether data to this peer may stay in this process although its send is complete, and leave
  /// only while this rank calls progress().
  bool may_stay_behind(int peer) const { return carrier_.may_stay_behind(peer); }
  /// Whether data to any such peer does now. Quick; may be wrong if it says yes.
  bool stays_behind() { return carrier_.stays_behind(); }
  /// Goes after all that was sent to this peer. Returns true if that has left; otherwise `done` is
  /// called once it has, or once there is no connection to the peer any more.
  bool follow_up(int peer, PendingTransfer& transfer);

  /// Asks for a transfer in flight to end; its `done` follows from progress().
  void cancel(PendingTransfer& transfer);

  /// Advances what the carrier does not. Returns whether anything happened.
  bool progress();

  /// Whether messages come in more than one way, so that has_mismatched_message() has something to
  /// say.
  bool has_mailboxes() const { return node_messages_.has_value(); }
  /// Whether a receive waits in vain because the message that came under its tag took another way,
  /// and so has another length; of messages that match by tag alone it may also be one that another
  /// receive is to take. Searches what has come: for those who have waited long.
  bool has_mismatched_message(int peer, std::size_t bytes, Tag tag);

  /// That a peer which is well gave up on a message before it was read, as Peers::failure() says
  /// such things.
  Peers::Failure withdrawal(int peer) const;

  Traffic traffic(int peer) const { return at(peer).traffic; }
  void count_sent(int peer, std::size_t bytes, std::size_t messages = 1);
  void count_received(int peer, std::size_t bytes, std::size_t messages = 1);

  /// Before this rank sleeps: has senders wake it. False where there is something to do instead.
  bool fall_asleep() { return !node_messages_ || node_messages_->fall_asleep(); }
  void wake_up() {
    if (node_messages_) node_messages_->wake_up();
  }
  /// In between, with mailboxes and a carrier that does not wake its rank: until a rank of this
  /// node sends something, or for so long.
  void sleep(std::chrono::microseconds longest) { node_messages_->sleep(longest); }

  /// Waits a few seconds for messages that found no room.
  void send_rest();
  /// Throws away what peers sent for collectives that this rank gave up on.
  void drop_unmatched();

 private:
  struct Partner {
    bool on_node = false;
    std::int64_t process = 0;  // of those on this node, where they have no mailboxes
    int place = -1;            // among the ranks of the node; -1 where mailboxes do not lead there
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
  std::vector<std::uint32_t> partner_of_;  // by rank; 0: none yet
  std::vector<Partner> partners_ = {{}};
  SendRequests send_requests_;
  bool requests_to_end_ = false;
  std::uint64_t failures_seen_ = 0;
};

}  // namespace cuboid::detail
