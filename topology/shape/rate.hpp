#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// Reads a link's rate and returns bytes per second. Units are decimal. "bit" (also kbit, mbit,
/// gbit, tbit, in any case) is bits per second, as tc(8) writes it. "B/s" (also kB/s, MB/s, GB/s)
/// is bytes per second. A plain number is bits per second, wherever Cuboid and its lab read rates.
/// A space may stand before the unit. nullopt for any other text, and for a rate that is negative
/// or not finite; 0 means unknown.
std::optional<double> parse_rate(std::string_view text);

/// A text that parse_rate() reads as exactly the same rate: the shortest text in a unit of bits,
/// e.g. "100mbit", else a text in bytes.
std::string rate_to_string(double bytes_per_second);

/// A rate as text for people: four digits in the greatest unit of bits in which the rate is at
/// least 1.
std::string rounded_rate(double bytes_per_second);

}  // namespace cuboid::detail
