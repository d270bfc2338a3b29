#pragma once

#include "base/text_file.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// One logical line of a topology.conf: its keys in lower case, with their values.
struct SlurmEntry {
  int line = 0;
  std::vector<std::pair<std::string, std::string>> values;

  /// The value of a key; nullptr if it is missing.
  const std::string* find(std::string_view key) const;
};

std::string lower_case(std::string_view text);

/// All lines that hold more than a comment; those continued by a backslash are one. Throws
/// Error(parse) with file and line for unknown keys and keys given twice.
std::vector<SlurmEntry> parse_slurm_entries(const TextFile& file);

}  // namespace cuboid::detail
