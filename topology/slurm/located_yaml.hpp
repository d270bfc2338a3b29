#pragma once

#include "base/located_json.hpp"

#include <string_view>

namespace cuboid::detail {

/// Parses the part of YAML in which configuration files such as Slurm's topology.yaml are written:
/// one document of nested lists and mappings with indentation, lists of scalars in brackets,
/// scalars on one line, plain or in quotes, and comments. Every scalar is read as text, and an
/// empty value as null. Throws Error(parse) with file and line for everything else (anchors, tags,
/// block scalars, mappings in braces, several documents), a key that occurs twice, and nesting
/// deeper than 16.
LocatedJson parse_located_yaml(const TextFile& file);

}  // namespace cuboid::detail
