#pragma once

#include "collectives/node/pending_transfer.hpp"
#include "collectives/transport/transport.hpp"

#include <span>
#include <string>

namespace cuboid::detail {

/// Takes the memory of transfers in flight back from the network: afterwards none refers to it.
/// Where a transfer does not end when it is cancelled, the connection to its peer is cut. Where
/// that does not help either, this rank takes no further part, and the others are told of
/// `operation`, e.g. "broadcast of 8 bytes from rank 0".
void reclaim_buffers(Transport& transport, std::span<PendingTransfer* const> transfers,
                     const std::string& operation);

}  // namespace cuboid::detail
