#pragma once

#include "collectives/node/mailbox.hpp"
#include "collectives/node/pending_transfer.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Matches the short messages between ranks of one node, which know each other by their place on
/// it, with the receives that wait for them: by tag, and those of equal tags in the order they were
/// sent. Belongs to one thread.
class ShortMessages {
 public:
  /// `mailboxes` are those of all ranks on the node, by place; `own` is this rank's place.
  ShortMessages(std::vector<Mailbox> mailboxes, int own);

  /// Called from inside progress() with each answer to a request that this rank sent.
  using Hear = std::function<void(std::span<const std::byte> answer)>;
  void listen(Hear hear) { hear_ = std::move(hear); }

  /// Sends up to ShortMessage::longest bytes. Returns true when they are out of the caller's hands
  /// at once.
  bool send(int place, const void* data, std::size_t bytes, std::uint64_t tag,
            PendingTransfer& transfer, ShortKind kind = ShortKind::data);

  /// Sends an answer. Returns as send(); without a transfer nobody waits for it to leave.
  bool answer(int place, std::span<const std::byte> answer, PendingTransfer* transfer);

  /// Receives a message of this kind. What had come before ends it at once; nullopt if it is still
  /// to come.
  std::optional<Outcome::State> receive(int place, void* data, std::size_t bytes, std::uint64_t tag,
                                        PendingTransfer& transfer,
                                        ShortKind kind = ShortKind::data);

  /// Takes in what has come and sends what found no room; calls `ended` of what has completed.
  /// Returns whether anything happened.
  bool progress();

  /// Asks for a transfer in flight to end; its `ended` follows from progress().
  void cancel(PendingTransfer& transfer);

  /// Whether messages wait for room in this mailbox.
  bool sending_to(int place) const { return !at(place).waiting.empty(); }

  /// Whether a message of this kind has come that no receive has asked for.
  bool holds(int place, std::uint64_t tag, ShortKind kind = ShortKind::data) const;

  /// Before this rank sleeps: has senders wake it. False where there is something to do instead.
  bool fall_asleep();
  void wake_up() { own_mailbox().set_asleep(false); }
  /// In between, where nothing else wakes it: until wake() of another rank, or for so long.
  void sleep(std::chrono::microseconds longest) { own_mailbox().sleep(longest); }
  /// Of a node with two ranks: for long messages between them.
  Pipe pipe() const {
    return {mailboxes_[static_cast<std::size_t>(1 - own_)].pipe(),
            mailboxes_[static_cast<std::size_t>(own_)].pipe()};
  }
  std::size_t ranks() const { return mailboxes_.size(); }
  /// Whether the rank in this place sleeps and is to be woken.
  bool asleep(int place) const { return mailboxes_[static_cast<std::size_t>(place)].asleep(); }
  void wake(int place) { mailboxes_[static_cast<std::size_t>(place)].wake(); }

 private:
  struct Posted {
    ShortKind kind;
    std::uint64_t tag;
    void* data;
    std::size_t bytes;
    PendingTransfer* transfer;
  };
  // Copied: for those who asked for others first, or for the sender who found no room.
  struct Copy {
    ShortKind kind;
    std::uint64_t tag;
    std::size_t bytes;
    std::array<std::byte, ShortMessage::longest> data;
  };
  struct Waiting {
    Copy message;
    PendingTransfer* transfer;  // nullptr of an answer that nobody waits for
  };
  // One that reads its mailbox late, or never again, keeps no message from the others.
  struct Peer {
    std::vector<Posted> posted;
    std::deque<Copy> unexpected;
    std::deque<Waiting> waiting;
  };

  const Peer& at(int place) const { return peers_[static_cast<std::size_t>(place)]; }
  Peer& at(int place) { return peers_[static_cast<std::size_t>(place)]; }
  bool put(int place, ShortKind kind, std::uint64_t tag, const void* data, std::size_t bytes,
           PendingTransfer* transfer);
  bool take_in(int place);
  bool send_waiting(int place);
  void end_cancelled();
  Mailbox& own_mailbox() { return mailboxes_[static_cast<std::size_t>(own_)]; }

  std::vector<Mailbox> mailboxes_;
  int own_;
  std::vector<Peer> peers_;
  Hear hear_;
  bool any_cancelled_ = false;
};

}  // namespace cuboid::detail
