#pragma once

#include "collectives/carrier/carrier.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace cuboid::detail {

/// Knows which peers have answered, so that long messages may be sent to them, and holds the
/// messages that wait for an answer.
///
/// Both directions of a pair of ranks share one TCP connection. When the peer opens its own
/// connection, UCX acknowledges that on the shared one. If the socket takes only a part of the
/// acknowledgement, UCX 1.13 writes that part again, and the peer takes it for a header and aborts.
/// Before the peer has answered that its own connection is open, this rank therefore sends so
/// little that the socket has room.
class UcxAnswers {
 public:
  struct HeldMessage {
    int peer = 0;
    const void* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t tag = 0;
    PendingTransfer* transfer = nullptr;
  };

  /// @param needed  by peer: true if this rank must wait for the peer's answer
  explicit UcxAnswers(const std::vector<bool>& needed);

  /// True if a message may go now. If not, hold() it.
  bool may_go(int peer, std::size_t bytes);
  /// Keeps a message until the peer has answered. Returns true if the caller must ask the peer: for
  /// the first message held.
  bool hold(const HeldMessage& message);
  /// Gives up a message that is held. The next take_due() returns it as cancelled.
  void cancel(const PendingTransfer& transfer);

  /// Notes that the peer's own connection is open.
  void answered(int peer);
  /// Notes that the peer waits for this rank's answer.
  void asked(int peer);
  /// Notes that the connection to the peer has ended: the peer is neither asked nor answered any
  /// more.
  void ended(int peer);

  /// True if take_due() has something to do.
  bool due() const { return due_; }
  struct Due {
    std::vector<int> answers;     ///< peers to answer
    std::vector<HeldMessage> go;  ///< in the order in which they were held
    std::vector<HeldMessage> cancelled;
    std::vector<HeldMessage> lost;  ///< messages to peers whose connections have ended
  };
  Due take_due();

 private:
  enum class AnswerState : std::uint8_t { silent, asked, answered, ended };
  struct UcxPeer {
    AnswerState state = AnswerState::answered;
    std::uint16_t bytes = 0;  // bytes sent before the peer's answer
    std::uint32_t held = 0;   // the number of messages held
  };

  UcxPeer& at(int peer) { return peers_[static_cast<std::size_t>(peer)]; }

  std::vector<UcxPeer> peers_;
  std::deque<HeldMessage> held_;
  std::vector<int> to_answer_;
  std::vector<HeldMessage> cancelled_;
  bool due_ = false;
};

}  // namespace cuboid::detail
