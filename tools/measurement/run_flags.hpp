#pragma once

#include "tools/measurement/form.hpp"
#include "tools/measurement/sizes.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags that the measurements of `cuboid bench` share, as the user gave them. The short ones
/// are OSU's.
struct RunFlags {
  std::string sizes;
  std::string message_size;
  std::optional<int> iterations;
  std::optional<int> warmup;
  std::string against;
  std::optional<int> ranks;
  bool validate = false;
  bool json = false;
  bool csv = false;
  bool osu = false;
  bool full = false;
};

/// How often, against whom, and how it is printed.
struct RunOptions {
  std::vector<std::size_t> bytes;  ///< of the messages, ascending
  std::optional<int> iterations;   ///< nullopt: as many as fit in the time for a size
  std::optional<int> warmup;       ///< nullopt: the measurement's own
  bool against_mpi = false;
  std::optional<int> ranks;
  bool validate = false;
  Form form = Form::table;
  bool full = false;
};

/// Which of them a measurement has.
struct RunFlagsOffered {
  std::string sizes_help;  ///< what a size is; empty: there are none
  bool osu = true;         ///< OSU has the same measurement
  bool validate = true;    ///< there is something to check
  bool warmup = true;      ///< how often it is repeated unmeasured is the user's
};

/// Declares the flags, all or those offered.
void declare_flags(CLI::App& command, RunFlags& flags, const RunFlagsOffered& offered);

/// Throws Error(invalid_argument) naming the flag, its value and what it can be. Pure, but for
/// --against mpi, which needs a launcher.
/// @param measurement  for the message.
RunOptions read_flags(const RunFlags& flags, const std::string& measurement,
                      const SizeRange& defaults);

}  // namespace cuboid::detail::tools
