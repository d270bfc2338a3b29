#pragma once

#include "base/text_file.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// One logical line of a topology.conf: its keys in lower case, with their values.
struct SlurmEntry {
  const TextFile* file = nullptr;  ///< the file that contains the line
  int line = 0;
  std::vector<std::pair<std::string, std::string>> values;

  /// The value of a key; nullptr if the key is missing or its value is empty. scontrol prints empty
  /// values for what does not exist.
  const std::string* find(std::string_view key) const;
  /// Throws Error(parse) with file and line.
  [[noreturn]] void fail(std::string_view reason) const { fail_at(*file, line, reason); }
};

std::string lower_case(std::string_view text);

/// All lines that contain more than a comment. The lines of an included file stand in the place of
/// the line that includes it. Lines continued by a backslash are one line. The entries refer to
/// `file`. Throws Error(parse) with file and line for unknown keys, keys given twice, and files
/// that are missing, included twice, or nested deeper than 8.
std::vector<SlurmEntry> parse_slurm_entries(const TextFile& file);

}  // namespace cuboid::detail
