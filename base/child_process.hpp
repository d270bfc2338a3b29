#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The result of a program that was run.
struct ChildResult {
  int exit_code = -1;      ///< -1: a signal or the time limit ended it
  bool timed_out = false;  ///< the time limit ended it
  std::string output;
  std::string errors;  ///< its output to standard error

  bool done() const { return exit_code == 0; }
};

/// Runs a program, found by PATH, without a shell, and waits for its end.
/// @param variables  "NAME=value", in addition to this process's environment.
/// @param limit      after this time the program is asked to end; some seconds later it is killed.
/// Throws Error(io) naming the program if it cannot be started.
ChildResult run_child(const std::vector<std::string>& command,
                      const std::vector<std::string>& variables,
                      std::chrono::duration<double> limit);

}  // namespace cuboid::detail
