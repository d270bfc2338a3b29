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

/// How far a call of a carrier has got. The reason of a failure stays until the next.
struct Outcome {
  enum class State { complete, under_way, wrong_length, cancelled, withdrawn, failed };
  State state = State::complete;
  const char* reason = "";

  static Outcome failure(const char* why) { return {State::failed, why}; }
};

/// When a receive's message came: while the receive was being posted (of the expected length or
/// not), or later.
enum class Arrival { later, posting, right, wrong };

/// A send or receive in flight. The caller owns it and keeps it in place until `done` has been
/// called.
struct PendingTransfer {
  /// Called once, from inside Transport::progress().
  using Done = void (*)(PendingTransfer& transfer, TransferStatus status);
  Done done = nullptr;

  /// Whether the transport still has to do with the caller's memory.
  bool pending() const { return request != nullptr || unacknowledged || in_mailbox; }

  // The transport's own notes.
  class Messages* messages = nullptr;
  void* request = nullptr;  // the carrier's
  /// Called by what carries it when that has ended.
  void (*ended)(PendingTransfer& transfer, Outcome outcome) = nullptr;
  std::size_t expected = 0;  // bytes of the message that the carrier is to receive
  int peer = 0;
  bool receiving = false;
  Arrival arrival = Arrival::later;
  std::size_t bytes = 0;
  RequestToSend send_request = {};  // made by the sender or received, where one copy does
  void* destination = nullptr;      // of what a request to send is about; else nullptr
  bool unacknowledged = false;      // a request to send that was sent and not yet served
  bool in_mailbox = false;          // goes through memory of the node, and is on its way
  int place = -1;                   // of the peer, where the transfer is a long one in the node
  std::size_t left = 0;             // bytes to be copied of a long message in the node
  bool cancelled = false;
  bool held = false;  // by the carrier, which has not begun to send it
};

}  // namespace cuboid::detail
