#pragma once

#include "base/text_file.hpp"
#include "models/messages/parameters.hpp"

#include <string>

namespace cuboid::detail {

/// JSON, with the units in the keys' names. parse_parameters() reads the same values from it, and
/// plain numbers where this writes an interval as well.
std::string to_json(const Parameters& parameters);

/// Throws Error(parse) "NAME:LINE: reason" for malformed text, another version, keys that are
/// unknown (of other units, maybe), missing or of the wrong kind, and numbers that are negative or
/// that no machine has: over 100 s, under 1 byte or over 1e15 bytes per second.
Parameters parse_parameters(const TextFile& file);

}  // namespace cuboid::detail
