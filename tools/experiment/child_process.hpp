#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// How a program that was run has ended.
struct ChildResult {
  int exit_code = -1;      ///< -1: it was ended by a signal, or for taking too long
  bool timed_out = false;  ///< ended for taking too long
  std::string output;
  std::string errors;  ///< what it wrote to standard error

  bool done() const { return exit_code == 0; }
};

/// Runs a program without a shell, found by PATH, and waits for its end.
/// @param variables  "NAME=value", beside this process's environment.
/// @param limit  after which it is asked to end, and ended some seconds later if it has not.
/// Throws Error(io) naming the program if it cannot be started.
ChildResult run_child(const std::vector<std::string>& command,
                      const std::vector<std::string>& variables,
                      std::chrono::duration<double> limit);

}  // namespace cuboid::detail::tools
