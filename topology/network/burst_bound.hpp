#pragma once

#include <optional>

namespace cuboid::detail {

/// The upper bound on a message's rate, in bytes per second, if every link lets a burst through at
/// once after a rest (a token bucket). In t seconds such a link carries at most its rate times t
/// plus the burst: no more than a link without bursts in t + burst / rate seconds. So a message
/// takes at least bytes / bound − head_start seconds. nullopt if bursts may carry half of it or
/// more: a bound of twice what the links sustain says nothing of how well they are used.
/// @param bound       bytes per second that the links without bursts allow (cut_bound.hpp).
/// @param bytes       length of the message.
/// @param head_start  seconds: a burst at the rate of its link, the longest of all links. Where all
///                    are equal, no stricter bound follows from the same cut.
std::optional<double> bound_with_bursts(double bound, double bytes, double head_start);

}  // namespace cuboid::detail
