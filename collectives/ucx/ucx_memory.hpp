#pragma once

#include "collectives/carrier/carrier.hpp"

#include <cstddef>
#include <memory>
#include <span>

#include <ucp/api/ucp.h>

namespace cuboid::detail {

/// Memory that peers reach by the network's remote memory access; on the same node they can map it.
/// Throws Error(out_of_memory).
std::unique_ptr<ExposedMemory> expose_by_ucx(ucp_context_h context, std::size_t bytes);

/// nullptr where UCX would emulate it.
/// @param there  its address and length in the peer
std::unique_ptr<ReachedMemory> reach_by_ucx(ucp_ep_h endpoint, std::span<const std::byte> key,
                                            std::span<std::byte> there, bool remote_access);

/// Of every put and get that this worker has started.
std::unique_ptr<RemoteRequest> flush_by_ucx(ucp_worker_h worker);

}  // namespace cuboid::detail
