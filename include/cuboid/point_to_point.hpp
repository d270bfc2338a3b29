#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/request.hpp>

namespace cuboid {

/// Messages between two ranks of a communicator. Not collective: only sender and receiver call, and
/// the communicator's collectives may be in flight at the same time.
///
/// A receive matches the first message in its communicator that `source` sent with the same `tag`.
/// The sizes must be equal, else the receiver throws Error(mismatch). Messages with different tags
/// may be received in any order.
///
/// A send is complete when the caller may reuse the message's memory. That may be only after the
/// peer has received the message. Two ranks that both send to each other before they receive may
/// wait for each other until CUBOID_TIMEOUT; use exchange() instead. A rank sends to itself only by
/// exchange().
///
/// Errors: Error(invalid_argument) for a peer that is not a rank of the communicator, a tag outside
/// 0 … max_tag, or overlapping send and receive buffers; else as Request::wait().

/// The largest allowed tag.
inline constexpr int max_tag = 32767;

/// Sends a message to one rank.
/// @param message      memory to read.
/// @param destination  rank of the communicator.
/// @param tag          the tag of the receiver's call, 0 to max_tag.
CUBOID_API void send(const Communicator& communicator, ConstBuffer message, int destination,
                     int tag = 0);
/// send() without waiting: returns a request; the buffer belongs to it until it is complete.
CUBOID_API Request start_send(const Communicator& communicator, ConstBuffer message,
                              int destination, int tag = 0, OnStream after = {});
/// A plan of send() on this buffer, ready to run many times.
CUBOID_API CollectivePlan plan_send(const Communicator& communicator, ConstBuffer message,
                                    int destination, int tag = 0);

/// Receives a message from one rank.
/// @param message  memory to write; its size must be the size of the message.
/// @param source   rank of the communicator.
/// @param tag      the tag of the sender's call, 0 to max_tag.
/// Throws Error(mismatch) for a message of another size.
CUBOID_API void receive(const Communicator& communicator, Buffer message, int source, int tag = 0);
/// receive() without waiting: returns a request; the buffer belongs to it until it is complete.
CUBOID_API Request start_receive(const Communicator& communicator, Buffer message, int source,
                                 int tag = 0, OnStream after = {});
/// A plan of receive() on this buffer, ready to run many times.
CUBOID_API CollectivePlan plan_receive(const Communicator& communicator, Buffer message, int source,
                                       int tag = 0);

/// Sends one message and receives another at the same time, e.g. to shift blocks along a ring. If
/// destination and source are both this rank, it copies. Throws Error(invalid_argument) if only one
/// of them is this rank, or if it is both and the sizes differ.
/// @param outgoing  memory to read; must not overlap `incoming`.
/// @param incoming  memory to write; its size must be the size of the message from `source`.
/// @param tag       the tag of both messages, 0 to max_tag.
CUBOID_API void exchange(const Communicator& communicator, ConstBuffer outgoing, int destination,
                         Buffer incoming, int source, int tag = 0);
/// exchange() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_exchange(const Communicator& communicator, ConstBuffer outgoing,
                                  int destination, Buffer incoming, int source, int tag = 0,
                                  OnStream after = {});
/// A plan of exchange() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_exchange(const Communicator& communicator, ConstBuffer outgoing,
                                        int destination, Buffer incoming, int source, int tag = 0);

}  // namespace cuboid
