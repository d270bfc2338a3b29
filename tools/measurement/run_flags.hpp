#pragma once

#include "tools/measurement/form.hpp"
#include "tools/measurement/sizes.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags that all measurements of `cuboid bench` share, as the user gave them. OSU's benchmarks
/// have the same short flags.
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
  std::string percentiles;
};

/// The sizes and repetitions of a measurement, the library to compare with, and the output format.
struct RunOptions {
  std::vector<std::size_t> bytes;  ///< sizes of the messages, ascending
  std::optional<int> iterations;   ///< nullopt: as many as fit in the default time per size
  std::optional<int> warmup;       ///< nullopt: the measurement's default
  bool against_mpi = false;
  std::optional<int> ranks;
  bool validate = false;
  Form form = Form::table;
  bool full = false;
  std::vector<int> percentiles;  ///< of the repetitions, which OSU's table has as well
};

/// The shared flags that a measurement offers to the user.
struct RunFlagsOffered {
  std::string sizes_help;   ///< help text of --size; empty: the measurement has no sizes
  bool osu = true;          ///< OSU has the same measurement
  bool percentiles = true;  ///< each repetition has a time of its own
  bool validate = true;     ///< the result can be checked
  bool warmup = true;       ///< the user may set the number of unmeasured repetitions
};

/// Declares the flags that `offered` names.
void declare_flags(CLI::App& command, RunFlags& flags, const RunFlagsOffered& offered);

/// Throws Error(invalid_argument), which names the flag, its value and its allowed values. Pure,
/// except that --against mpi requires a launcher.
/// @param measurement  the measurement's name, for the messages.
RunOptions read_flags(const RunFlags& flags, const std::string& measurement,
                      const SizeRange& defaults);

}  // namespace cuboid::detail::tools
