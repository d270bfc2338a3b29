#pragma once

#include "collectives/node/pending_transfer.hpp"
#include "collectives/transport/transport.hpp"

#include <span>
#include <string>

namespace cuboid::detail {

/// Takes the memory of transfers in flight back from the network: afterwards none of them refers to
/// it. If a transfer does not end when it is cancelled, the connection to its peer is cut. If that
/// does not help either, this rank takes no further part, and the other ranks are told of
/// `operation`, e.g. "broadcast of 8 bytes from rank 0".
void reclaim_buffers(Transport& transport, std::span<PendingTransfer* const> transfers,
                     const std::string& operation);

}  // namespace cuboid::detail
