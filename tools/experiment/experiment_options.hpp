#pragma once

#include "tools/experiment/experiment_cases.hpp"
#include "tools/experiment/experiment_run.hpp"

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid experiment`, as the user gave them.
struct ExperimentFlags {
  std::string name;
  std::string ranks;
  std::string memory = "64M";
  std::string launch;
  std::string parameters;
  std::string output = "experiments";
  int repeat = 3;
  double limit = 300;
  bool model = false;
  bool commands = false;
  bool json = false;
};

/// Declares the flags.
void declare_flags(CLI::App& command, ExperimentFlags& flags);

/// The experiment to run, and the resources it runs on.
struct ExperimentOptions {
  const Experiment* experiment = nullptr;
  Scale scale;
  Launch launch;
  std::string folder;  ///< folder of the results
};

/// Throws Error(invalid_argument) naming the flag, its value and the remedy.
/// @param parameters  value of CUBOID_PARAMETERS, used if the flag is not given.
/// @param cores       the cores that this process may use: the experiment runs on up to as many
/// ranks, and on at least 4.
ExperimentOptions read_flags(const ExperimentFlags& flags,
                             const std::optional<std::string>& parameters, int cores);

}  // namespace cuboid::detail::tools
