#pragma once

#include "tools/experiment/outcome.hpp"
#include "tools/experiment/run_log.hpp"
#include "tools/output/progress.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// How a run of `cuboid` is started.
struct Launch {
  std::vector<std::string> launcher;  ///< {ranks} in it stands for their number; empty: threads
  std::string program;                ///< this one
  std::string parameters;             ///< of the models of collectives; empty: these are left out
  std::chrono::duration<double> limit{};  ///< of each run
};

/// The command of a case, without the program's path and with variables ahead: what a run is known
/// by.
std::string command_text(const Case& one, const Launch& launch);

/// Runs the cases that the log does not know, one after the other, and keeps what they print. A run
/// that fails has its reason in its row and is not kept, so that it is tried again next time.
/// Throws Error(io) where nothing can be started or kept.
std::vector<Row> run_cases(const Experiment& experiment, const std::vector<Case>& cases,
                           const Launch& launch, RunLog& log, Progress& progress);

/// The same for modelled_cases_of(), which need no ranks.
std::vector<Row> run_models(const std::vector<Case>& cases, const Launch& launch, RunLog& log,
                            Progress& progress);

}  // namespace cuboid::detail::tools
