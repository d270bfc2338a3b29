#pragma once

#include "tools/experiment/outcome.hpp"
#include "tools/experiment/run_log.hpp"
#include "tools/output/progress.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The way in which runs of `cuboid` are started.
struct Launch {
  /// {ranks} stands for the number of ranks; if empty, ranks are threads.
  std::vector<std::string> launcher;
  std::string program;  ///< path of this program
  /// Parameters for the models of collectives; if empty, collectives are not predicted.
  std::string parameters;
  std::chrono::duration<double> limit{};  ///< time limit of each run
};

/// The command of a case, with its environment variables and without the program's path. It
/// identifies the run in the log.
std::string command_text(const Case& one, const Launch& launch);

/// Called with all rows so far after each run.
using AfterRow = std::function<void(const std::vector<Row>&)>;

/// Runs, one after the other, the cases that the log does not contain, and logs their results. A
/// run that fails states the reason in its row and is not logged, so that the next experiment tries
/// it again. Throws Error(io) if no run can be started or logged.
std::vector<Row> run_cases(const Experiment& experiment, const std::vector<Case>& cases,
                           const Launch& launch, RunLog& log, Progress& progress,
                           const AfterRow& after_row);

/// Runs the cases of modelled_cases_of() in the same way; they need no ranks.
std::vector<Row> run_models(const Experiment& experiment, const std::vector<Case>& cases,
                            const Launch& launch, RunLog& log, Progress& progress,
                            const AfterRow& after_row);

}  // namespace cuboid::detail::tools
