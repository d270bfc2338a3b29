#pragma once

#include "collectives/node/single_copy.hpp"

#include <cstddef>

namespace cuboid::detail {

/// How a send or receive ended.
enum class TransferStatus {
  complete,
  cancelled,
  wrong_length,  ///< the message was longer or shorter than the receive: the ranks disagree about
                 ///< the operation
  withdrawn,     ///< the sender gave up before the message was read
  failed,        ///< the peer is gone
};

/// How far a call of a carrier has got. The text of a failure's reason stays valid until the next
/// failure.
struct Outcome {
  enum class State { complete, under_way, wrong_length, cancelled, withdrawn, failed };
  State state = State::complete;
  const char* reason = "";

  static Outcome failure(const char* why) { return {State::failed, why}; }
};

/// When the message of a receive came: while the receive was being posted (with the right or the
/// wrong length), or later.
enum class Arrival { later, posting, right, wrong };

/// A send or receive in flight. The caller owns it and keeps it in place until `done` has been
/// called.
struct PendingTransfer {
  /// Called once, from inside Transport::progress().
  using Done = void (*)(PendingTransfer& transfer, TransferStatus status);
  Done done = nullptr;

  /// True if the transport may still use the caller's memory.
  bool pending() const { return request != nullptr || unacknowledged || in_mailbox; }

  // The transport's own notes.
  class Messages* messages = nullptr;
  void* request = nullptr;  // the carrier's handle of the transfer
  /// Called by the part of the transport that carries the transfer, when the transfer has ended.
  void (*ended)(PendingTransfer& transfer, Outcome outcome) = nullptr;
  std::size_t expected = 0;  // the bytes of the message that the carrier is to receive
  int peer = 0;
  bool receiving = false;
  Arrival arrival = Arrival::later;
  std::size_t bytes = 0;
  // For a message that the receiver reads from the sender's memory.
  RequestToSend send_request = {};
  // Where the data of a request to send belongs; nullptr for any other transfer.
  void* destination = nullptr;
  bool unacknowledged = false;  // a request to send was sent and is not yet served
  bool in_mailbox = false;      // the transfer goes through the node's mailboxes and has not ended
  int place = -1;               // the peer's place on the node, for a long message within the node
  std::size_t left = 0;  // the bytes of a long message within the node that are still to be copied
  bool cancelled = false;
  bool held = false;  // the carrier has not begun to send it
};

}  // namespace cuboid::detail
