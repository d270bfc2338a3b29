#pragma once

#include "base/text_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// Reads a topology file and the files that its "Include" lines name, and so on, as in Slurm's
/// topology.conf. Files that cannot be read, and files beyond the 64th, are missing from
/// `included`; the parser of the "Include" line reports them. Throws what read_text_file() throws.
TextFile read_topology_file(const std::string& path);

/// The file that a line "Include NAME" names; nullopt for any other line.
std::optional<std::string> include_of(std::string_view line);

/// The path of a file that another file names: relative to the folder of that other file.
std::string path_named_in(const std::string& file, const std::string& name);

}  // namespace cuboid::detail
