#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// A link's rate from text, in bytes per second: "100mbit" (bits per second: kbit, mbit, gbit),
/// "1.5GB/s" (bytes per second: kB/s, MB/s, GB/s), or a plain number of bytes per second. Units are
/// decimal. nullopt for anything else, and for a rate that is negative or not finite; 0 means "not
/// known".
std::optional<double> parse_rate(std::string_view text);

/// The shortest text that parse_rate reads back as the same rate: "100mbit", "2.5e9" where no unit
/// fits.
std::string rate_to_string(double bytes_per_second);

}  // namespace cuboid::detail
