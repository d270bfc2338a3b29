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

/// Throws Error(invalid_argument), which names the flag, its value and the remedy.
/// @param parameters  the value of CUBOID_PARAMETERS, used if the flag is not given.
/// @param cores       the number of cores that this process may use. The experiment runs on at most
///                    this number of ranks, but on at least 4.
ExperimentOptions read_flags(const ExperimentFlags& flags,
                             const std::optional<std::string>& parameters, int cores);

}  // namespace cuboid::detail::tools
