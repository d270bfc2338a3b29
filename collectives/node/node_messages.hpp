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

/// How ranks of a node copy what is too long for a segment.
struct LongCopies {
  bool readable = false;  ///< each rank may read the memory of every other
  /// A sender that waits copies a part: it has a core of its own.
  bool helped = false;
};

/// Messages between ranks of one node, which know each other by their place on it, and the receives
/// that wait for them: matched by tag, and those of equal tags in the order they were sent. Belongs
/// to one thread.
///
/// The shortest lie in an entry of the receiver's mailbox. Those of up to a segment are copied into
/// one of the sender's and out of it. Of longer ones, and of those that find no segment, the
/// receiver gets a request: it reads them from the sender's memory, from the back on. Where it has
/// found taking pieces out of segments the faster way, a sender that waits sends such from the
/// front on meanwhile (CopyClaims). Reading takes one copy, but moves data that another core has
/// just written slowly; segments take two, by two cores at once.
class NodeMessages {
 public:
  /// `mailboxes` are those of all ranks on the node, by place; `own` is this rank's place.
  NodeMessages(std::vector<Mailbox> mailboxes, int own, LongCopies copies);

  /// Called after each entry that was put into the mailbox of a place, so that its owner is woken.
  using Tell = std::function<void(int place)>;
  void tell_of_entries(Tell tell) { tell_ = std::move(tell); }

  /// Whether messages of this length go this way. The same on all ranks of the node.
  bool carries(std::size_t bytes) const { return bytes <= longest_copied_ || copies_.readable; }
  /// The longest that go through a segment.
  std::size_t longest_copied() const { return longest_copied_; }

  /// Sends a message. Returns true when it is out of the caller's hands at once.
  bool send(int place, const void* data, std::size_t bytes, std::uint64_t tag,
            PendingTransfer& transfer);

  /// Receives a message. What had come before ends it at once; nullopt if it is still to come or to
  /// be copied.
  std::optional<Outcome::State> receive(int place, void* data, std::size_t bytes, std::uint64_t tag,
                                        PendingTransfer& transfer);

  /// Takes in what has come, sends what found no room and copies long messages; calls `ended` of
  /// what has completed. Returns whether anything happened.
  bool progress();

  /// Asks for a transfer in flight to end; its `ended` follows from progress(). One whose memory
  /// its receiver may be reading ends after request_stands.
  void cancel(PendingTransfer& transfer);
  /// The same, as failed, for the messages that the rank in this place, which is gone, does not
  /// read any more.
  void lose(int place);

  /// Whether messages wait for room in this mailbox.
  bool sending_to(int place) const { return !at(place).waiting.empty(); }

  /// Whether a message has come that no receive has asked for.
  bool holds(int place, std::uint64_t tag) const;

  /// Before this rank sleeps: has senders wake it. False where there is something to do instead.
  bool fall_asleep();
  void wake_up() { own_mailbox().set_asleep(false); }
  /// In between, where nothing else wakes it: until wake() of another rank, or for so long.
  void sleep(std::chrono::microseconds longest) { own_mailbox().sleep(longest); }
  /// Whether the rank in this place sleeps and is to be woken.
  bool asleep(int place) const { return mailboxes_[static_cast<std::size_t>(place)].asleep(); }
  void wake(int place) { mailboxes_[static_cast<std::size_t>(place)].wake(); }

 private:
  struct NodeReceive {
    std::uint64_t tag;
    void* data;
    std::size_t bytes;
    PendingTransfer* transfer;
  };
  // What an entry says of a message, and where the message lies, or the request for it.
  struct Arrived {
    EntryKind kind;
    std::size_t bytes;
    const std::byte* payload;
  };
  // Copied for those who asked for others first.
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
  // A message, or the answer to one, that found no room.
  struct Waiting {
    std::uint64_t tag = 0;
    const void* data = nullptr;
    std::size_t bytes = 0;
    PendingTransfer* transfer = nullptr;
    std::optional<MessageTicket> answer = {};
  };
  // How fast this rank copies long messages from another: seconds per byte, as last measured; 0 if
  // never.
  struct Speed {
    double reading = 0;  // from the sender's memory
    double taking = 0;   // out of segments
    /// Whether its sender is to copy a part: only if that saves this rank time. It does where the
    /// sender has just written the data.
    bool wants_help() const { return reading == 0 || taking < reading; }
  };
  // One that reads its mailbox late, or never again, keeps no message from the others.
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
  std::size_t most_at_once_;  // bytes of a long message
  SegmentPool pool_;
  std::vector<NodePeer> peers_;
  SendRequests requests_;
  std::vector<PendingTransfer*> helped_;    // sends whose receivers may leave a part to this rank
  std::vector<PendingTransfer*> readings_;  // receives of long messages, in the order they matched
  Tell tell_;
  bool any_cancelled_ = false;
};

}  // namespace cuboid::detail
