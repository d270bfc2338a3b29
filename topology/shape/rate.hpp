#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// Reads a link's rate and returns bytes per second: "100mbit" (bits per second: kbit, mbit, gbit),
/// "1.5GB/s" (bytes per second: kB/s, MB/s, GB/s), or a plain number of bytes per second. Units are
/// decimal. nullopt for anything else, and for a rate that is negative or not finite; 0 means
/// unknown.
std::optional<double> parse_rate(std::string_view text);

/// The shortest text that parse_rate() reads as the same rate, e.g. "100mbit", or "2.5e9" if no
/// unit fits.
std::string rate_to_string(double bytes_per_second);

}  // namespace cuboid::detail
