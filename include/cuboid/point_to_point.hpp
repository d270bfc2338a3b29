#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/collective_plan.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

namespace cuboid {

/// Messages between two ranks of a communicator. Not collective: only sender and receiver call, and
/// the communicator's collectives may be in flight at the same time.
///
/// A receive takes the message of its communicator, `source` and `tag`, of exactly its own size;
/// of several such, the one that was sent first. Messages of different tags may be received in
/// any order. Where sizes differ the receiver gets Error(mismatch).
///
/// Sending ends when the message's memory is the caller's again, which may not be before the peer
/// receives: two ranks that each send to the other before they receive wait for ever (that is,
/// CUBOID_TIMEOUT). exchange() is for that. A rank may send to itself with exchange() only.
///
/// Errors: Error(invalid_argument) for a peer that is no rank of the communicator, a tag outside
/// 0 … max_tag, or memory that is sent and written at once; else as Request::wait().

/// The tags that a message may have: 0 … max_tag.
inline constexpr int max_tag = 32767;

void send(const Communicator& communicator, ConstBuffer message, int destination, int tag = 0);
Request start_send(const Communicator& communicator, ConstBuffer message, int destination,
                   int tag = 0);
CollectivePlan plan_send(const Communicator& communicator, ConstBuffer message, int destination,
                         int tag = 0);

void receive(const Communicator& communicator, Buffer message, int source, int tag = 0);
Request start_receive(const Communicator& communicator, Buffer message, int source, int tag = 0);
CollectivePlan plan_receive(const Communicator& communicator, Buffer message, int source,
                            int tag = 0);

/// Sends one message and receives another at the same time, as when a ring of ranks shifts its
/// blocks. With this rank itself as both destination and source it copies. Throws
/// Error(invalid_argument) where only one of the two is this rank.
void exchange(const Communicator& communicator, ConstBuffer outgoing, int destination,
              Buffer incoming, int source, int tag = 0);
Request start_exchange(const Communicator& communicator, ConstBuffer outgoing, int destination,
                       Buffer incoming, int source, int tag = 0);
CollectivePlan plan_exchange(const Communicator& communicator, ConstBuffer outgoing,
                             int destination, Buffer incoming, int source, int tag = 0);

}  // namespace cuboid
