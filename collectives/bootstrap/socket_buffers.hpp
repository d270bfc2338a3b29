#pragma once

#include "topology/machine/report.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace cuboid::detail {

/// Bytes for the send and the receive buffer of a TCP connection over links of this rate (bytes per
/// second); nullopt where it is unknown (0), or where the kernel refuses as much and its own choice
/// serves better.
///
/// What a buffer holds stands in queues before it crosses a slow link, and the acknowledgements of
/// the other direction stand behind it: with the megabytes that the kernel allows, a link that is
/// busy both ways carries two thirds of its rate. So a buffer holds two segments of the engine's,
/// or what a fast link carries while a rank is not looking.
/// @param kernel_limit  the largest that a process may ask for (net.core.wmem_max, rmem_max)
std::optional<std::size_t> socket_buffer_bytes(double bytes_per_second, std::size_t kernel_limit);

/// The rate (bytes per second) of the fastest link that leads to other nodes: that has neighbours,
/// or is one of `interfaces`. 0 if none is known.
double fastest_rate(std::span<const LinkReport> links, const std::set<std::string>& interfaces);

/// What the kernel lets a process ask for, as send and as receive buffer.
std::size_t kernel_limit_of_socket_buffers();

}  // namespace cuboid::detail
