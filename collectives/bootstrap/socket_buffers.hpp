#pragma once

#include "topology/machine/report.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace cuboid::detail {

/// The bytes of the send buffer and of the receive buffer of a TCP connection over links of this
/// rate (bytes per second). nullopt if the rate is unknown (0), or if the kernel would refuse so
/// large a buffer; then the kernel's own choice is better.
///
/// Data in a buffer waits in queues before it crosses a slow link, and the acknowledgements of the
/// other direction wait behind it. With the megabytes that the kernel allows, a link that is busy
/// both ways carries two thirds of its rate. So a buffer holds about two segments of the engine, or
/// what a fast link carries while a rank does not look.
/// @param kernel_limit  the largest buffer that a process may ask for (net.core.wmem_max, rmem_max)
std::optional<std::size_t> socket_buffer_bytes(double bytes_per_second, std::size_t kernel_limit);

/// The rate (bytes per second) of the fastest link that leads to other nodes, i.e. that has
/// neighbours or is one of `interfaces`. 0 if none is known.
double fastest_rate(std::span<const LinkReport> links, const std::set<std::string>& interfaces);

/// The largest size in bytes that the kernel allows for both a send and a receive buffer.
std::size_t kernel_limit_of_socket_buffers();

}  // namespace cuboid::detail
