#pragma once

#include "base/text_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// Reads a topology file, and the files that "Include" lines of it and of these name, as Slurm's
/// topology.conf has them. Those that cannot be read, and those beyond the 64th, are missing from
/// `included`; who parses the line says so. Throws what read_text_file() does.
TextFile read_topology_file(const std::string& path);

/// What a line "Include NAME" names; nullopt for any other line.
std::optional<std::string> include_of(std::string_view line);

/// The path of a file that is named in another: relative to the folder of that one.
std::string path_named_in(const std::string& file, const std::string& name);

}  // namespace cuboid::detail
