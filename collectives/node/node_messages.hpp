#pragma once

#include "collectives/node/mailbox.hpp"
#include "collectives/node/pending_transfer.hpp"
#include "collectives/node/segments.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// How ranks of a node copy messages that are too long for a segment.
struct LongCopies {
  bool readable = false;  ///< each rank may read the memory of every other
  /// A sender that waits copies a part of its message, since it has a core of its own.
  bool helped = false;
};

/// Messages between ranks of one node, and the receives that wait for them. Ranks are known by
/// their place on the node. Messages and receives are matched by tag, and those with equal tags in
/// the order in which they were sent. The object belongs to one thread.
///
/// The shortest messages lie in an entry of the receiver's mailbox. Messages of up to a segment are
/// copied into a segment of the sender and out of it. For a longer message, or if no segment is
/// free, the receiver gets a request: it reads the message from the sender's memory, from the back
/// on. If the receiver has found that taking pieces out of segments is faster, a sender that waits
/// meanwhile sends pieces from the front on (CopyClaims). Reading takes one copy, but it is slow
/// for data that another core has just written. Segments take two copies, by two cores at once.
class NodeMessages {
 public:
  /// @param mailboxes  the mailboxes of all ranks on the node, by place
  /// @param own        this rank's place
  NodeMessages(std::vector<Mailbox> mailboxes, int own, LongCopies copies);

  /// Called after each entry that is put into the mailbox of a place, so that the mailbox's owner
  /// is woken.
  using Tell = std::function<void(int place)>;
  void tell_of_entries(Tell tell) { tell_ = std::move(tell); }

  /// True if messages of this length can go this way. The same on all ranks of the node.
  bool carries(std::size_t bytes) const { return bytes <= longest_copied_ || copies_.readable; }
  /// The bytes of the longest message that goes through a segment.
  std::size_t longest_copied() const { return longest_copied_; }

  /// Sends a message. Returns true if the caller's memory is free again at once. Otherwise `ended`
  /// of the transfer follows.
  bool send(int place, const void* data, std::size_t bytes, std::uint64_t tag,
            PendingTransfer& transfer);

  /// Receives a message. If the message has come already and could be copied, returns how the
  /// receive ended. Returns nullopt if the message is still to come or must be read; then `ended`
  /// of the transfer follows.
  std::optional<Outcome::State> receive(int place, void* data, std::size_t bytes, std::uint64_t tag,
                                        PendingTransfer& transfer);

  /// Sends a message that can be copied, if there is room for it now and no message waits for room.
  /// Returns false if not; then nothing has happened.
  bool send_at_once(int place, const void* data, std::size_t bytes, std::uint64_t tag);
  /// Receives a message that has come, is of this length and need not be read. Returns false if
  /// there is none; then nothing has happened.
  bool receive_at_once(int place, void* data, std::size_t bytes, std::uint64_t tag);

  /// Takes in entries that have come, sends messages that found no room before, and copies long
  /// messages. Calls `ended` of the transfers that have completed. Returns true if anything
  /// happened.
  bool progress();

  /// Asks for a transfer in flight to end; its `ended` follows from progress(). A send whose memory
  /// the receiver may be reading ends after request_stands.
  void cancel(PendingTransfer& transfer);
  /// Says that the rank in this place is gone. The messages that it was to read from this rank's
  /// memory end as failed.
  void lose(int place);

  /// True if messages wait for room in the mailbox of this place.
  bool sending_to(int place) const { return !at(place).waiting.empty(); }

  /// True if a message with this tag has come that no receive has asked for.
  bool holds(int place, std::uint64_t tag) const;

  /// Prepares this rank for sleep: senders will wake it. Returns false if there is something to do
  /// instead.
  bool fall_asleep();
  void wake_up() { own_mailbox().set_asleep(false); }
  /// Sleeps until another rank calls wake(), at most for `longest`. Called between fall_asleep()
  /// and wake_up(), if nothing else wakes this rank.
  void sleep(std::chrono::microseconds longest) { own_mailbox().sleep(longest); }
  /// True if the rank in this place sleeps and wants to be woken.
  bool asleep(int place) const { return mailboxes_[static_cast<std::size_t>(place)].asleep(); }
  void wake(int place) { mailboxes_[static_cast<std::size_t>(place)].wake(); }

 private:
  struct NodeReceive {
    std::uint64_t tag;
    void* data;
    std::size_t bytes;
    PendingTransfer* transfer;
  };
  // What an entry says of a message. `payload` is the message, or the request for it.
  struct Arrived {
    EntryKind kind;
    std::size_t bytes;
    const std::byte* payload;
  };
  // A copy of a message that came before its receive.
  struct UnexpectedMessage {
    UnexpectedMessage(std::uint64_t tag, const Arrived& arrived);
    const std::byte* data() const { return in_segment ? in_segment.get() : in_entry.data(); }

    EntryKind kind;
    std::uint64_t tag;
    std::size_t bytes;
    std::array<std::byte, MailboxEntry::capacity> in_entry;
    std::unique_ptr<std::byte[]> in_segment;
  };
  struct MessageTicket {
    std::uint64_t slot;
    std::uint64_t ticket;
  };
  struct PieceNote {
    MessageTicket message;
    std::uint64_t offset;
    std::uint32_t segment;
    std::uint32_t bytes;
  };
  // A message, or the answer to a message, that found no room.
  struct Waiting {
    std::uint64_t tag = 0;
    const void* data = nullptr;
    std::size_t bytes = 0;
    PendingTransfer* transfer = nullptr;
    std::optional<MessageTicket> answer = {};
  };
  // How fast this rank copies long messages from another rank: seconds per byte, as measured last;
  // 0 if never measured.
  struct Speed {
    double reading = 0;  // from the sender's memory
    double taking = 0;   // out of segments
    /// True if the sender is to copy a part, because this saves time: taking pieces out of segments
    /// is quicker if the sender has just written the data.
    bool wants_help() const { return reading == 0 || taking < reading; }
  };
  // All queues of a peer, so that a peer that reads its mailbox late, or never again, keeps no
  // message from the others.
  struct NodePeer {
    std::vector<NodeReceive> posted;
    std::deque<UnexpectedMessage> unexpected;
    std::deque<Waiting> waiting;
    Speed speed;
    bool lost = false;
  };

  const NodePeer& at(int place) const { return peers_[static_cast<std::size_t>(place)]; }
  NodePeer& at(int place) { return peers_[static_cast<std::size_t>(place)]; }
  const Mailbox& at_mailbox(int place) const { return mailboxes_[static_cast<std::size_t>(place)]; }
  Mailbox& at_mailbox(int place) { return mailboxes_[static_cast<std::size_t>(place)]; }
  Mailbox& own_mailbox() { return at_mailbox(own_); }

  void send_in_order(int place, const Waiting& message);
  bool put(int place, const Waiting& message);
  bool put_copy(int place, MailboxEntry& entry, const void* data, std::size_t bytes);
  void publish(int place, MailboxEntry& entry);
  void request(MailboxEntry& entry, const Waiting& message, int place);
  bool send_waiting(int place);

  bool take_in(int place);
  void take_in_note(int place, const MailboxEntry& entry);
  Arrived read(int place, const MailboxEntry& entry) const;
  void let_go(int place, const MailboxEntry& entry);
  std::optional<Outcome::State> land(int place, const Arrived& arrived, const NodeReceive& posted);

  bool read_on();
  std::size_t read_part_of(PendingTransfer& transfer);
  void count_down(PendingTransfer& transfer, std::size_t bytes);
  void end_reading(PendingTransfer& transfer, Outcome outcome);
  bool help();
  bool help_with(PendingTransfer& transfer);

  static void end(PendingTransfer& transfer, Outcome outcome);
  void end_cancelled();
  void withdraw_requests(std::vector<PendingTransfer*>& cancelled,
                         std::vector<PendingTransfer*>& lost);

  std::vector<Mailbox> mailboxes_;
  int own_;
  LongCopies copies_;
  std::size_t longest_copied_;
  std::size_t most_at_once_;  // the most bytes of a long message that are read at a time
  SegmentPool pool_;
  std::vector<NodePeer> peers_;
  SendRequests requests_;
  std::vector<PendingTransfer*> helped_;  // sends whose receivers may ask this rank for help
  // Receives of long messages, in the order in which they found their messages.
  std::vector<PendingTransfer*> readings_;
  Tell tell_;
  bool any_cancelled_ = false;
};

}  // namespace cuboid::detail
