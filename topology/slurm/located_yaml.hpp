#pragma once

#include "base/located_json.hpp"

#include <string_view>

namespace cuboid::detail {

/// Parses the part of YAML that configuration files such as Slurm's topology.yaml are written in:
/// one document of nested lists and mappings told apart by indentation, lists of scalars in
/// brackets, scalars on one line, plain or in quotes, and comments. Every scalar is text here, and
/// what is empty is null. Throws Error(parse) with file and line for all else (anchors, tags, block
/// scalars, mappings in braces, several documents), a key that occurs twice, and nesting deeper
/// than 16.
LocatedJson parse_located_yaml(const TextFile& file);

}  // namespace cuboid::detail
