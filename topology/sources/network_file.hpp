#pragma once

#include <cuboid/network.hpp>

#include "base/text_file.hpp"

namespace cuboid::detail {

/// True if a text looks like a JSON document.
bool is_json(std::string_view text);

/// Reads a network from JSON:
///   {"nodes": ["a", "b", {"name": "s", "role": "switch"}],
///    "cables": [{"ends": ["a", "s"], "rate": "100mbit"}, {"ends": ["b", "s"], "rate": 100000000}]}
/// A rate is a text that parse_rate() reads, or a number of bits per second. A cable without a rate
/// has an unknown rate, also in the lab (docs/lab.md). Several cables may join the same two nodes.
/// Throws Error(parse) with file and line for everything else: unknown nodes or keys, doubled
/// names, cables from a node to itself, rates that are not greater than 0 or exceed 10^15 bits per
/// second.
Network parse_network_file(const TextFile& file);

/// The JSON document that parse_network_file() reads back as the same network.
std::string to_json(const Network& network);

}  // namespace cuboid::detail
