#pragma once

#include "collectives/carrier/carrier.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace cuboid::detail {

/// Which peers have answered, so that much may be sent to them, and the messages that wait for it.
///
/// Both directions of a pair share one TCP connection. When the peer opens its own, UCX
/// acknowledges that on the connection; if the socket takes only a part of these bytes, UCX (1.13)
/// writes the part again, and the peer aborts at what it takes for a header. So little is sent
/// before the peer has answered that its own connection is open: the socket has room then.
class UcxAnswers {
 public:
  struct HeldMessage {
    int peer = 0;
    const void* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t tag = 0;
    PendingTransfer* transfer = nullptr;
  };

  /// @param needed  by peer: whether its answer is waited for
  explicit UcxAnswers(const std::vector<bool>& needed);

  /// Whether a message may go now. If not, hold() it.
  bool may_go(int peer, std::size_t bytes);
  /// Keeps a message until the peer has answered. Whether the peer is to be asked: the first time.
  bool hold(const HeldMessage& message);
  /// Gives up a message, which is among cancelled() then.
  void cancel(const PendingTransfer& transfer);

  /// The peer's own connection is open.
  void answered(int peer);
  /// The peer waits for this rank's answer.
  void asked(int peer);
  /// The peer is asked and answered no more.
  void ended(int peer);

  /// Whether one of these has something to do.
  bool due() const { return due_; }
  struct Due {
    std::vector<int> answers;     ///< peers to answer
    std::vector<HeldMessage> go;  ///< in the order in which they were held
    std::vector<HeldMessage> cancelled;
    std::vector<HeldMessage> lost;  ///< their peers have ended
  };
  Due take_due();

 private:
  enum class AnswerState : std::uint8_t { silent, asked, answered, ended };
  struct UcxPeer {
    AnswerState state = AnswerState::answered;
    std::uint16_t bytes = 0;  // that went before an answer
    std::uint32_t held = 0;   // messages
  };

  UcxPeer& at(int peer) { return peers_[static_cast<std::size_t>(peer)]; }

  std::vector<UcxPeer> peers_;
  std::deque<HeldMessage> held_;
  std::vector<int> to_answer_;
  std::vector<HeldMessage> cancelled_;
  bool due_ = false;
};

}  // namespace cuboid::detail
