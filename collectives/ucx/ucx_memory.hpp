#pragma once

#include "collectives/carrier/carrier.hpp"

#include <cstddef>
#include <memory>
#include <span>

#include <ucp/api/ucp.h>

namespace cuboid::detail {

/// Makes memory that peers reach by the network's remote memory access. Ranks on the same node can
/// map it. Throws Error(out_of_memory).
std::unique_ptr<ExposedMemory> expose_by_ucx(ucp_context_h context, std::size_t bytes);

/// Reaches a peer's memory; returns nullptr if UCX would only emulate the access.
/// @param there  the address and length of the memory in the peer
std::unique_ptr<ReachedMemory> reach_by_ucx(ucp_ep_h endpoint, std::span<const std::byte> key,
                                            std::span<std::byte> there, bool remote_access);

/// A request that is done when every put and get that this worker has started is complete.
std::unique_ptr<RemoteRequest> flush_by_ucx(ucp_worker_h worker);

}  // namespace cuboid::detail
