#pragma once

#include "base/text_file.hpp"
#include "models/messages/parameters.hpp"

#include <string>

namespace cuboid::detail {

/// The parameters as JSON, with the units in the names of the keys. parse_parameters() reads them
/// back; it also accepts plain numbers in place of intervals.
std::string to_json(const Parameters& parameters);

/// Reads parameters. Throws Error(parse) "NAME:LINE: reason" for malformed text, another version,
/// keys that are unknown (perhaps of other units), missing or of the wrong kind, and numbers that
/// are negative or that no machine has: over 100 s, under 1 byte or over 1e15 bytes per second.
Parameters parse_parameters(const TextFile& file);

}  // namespace cuboid::detail
