#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/traffic.hpp>

#include "tools/command/system_problem.hpp"
#include "tools/output/run_summary.hpp"

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The report of every run that factorises a matrix and solves with the factors.
struct SystemResult : RunSummary {
  SystemProblem problem;
  std::string lapack, lapack_kernels;
  double solve_seconds = 0;  ///< all right-hand sides, refinement included; 0: nothing was solved
  double read = 0, write = 0;
  std::int64_t info = 0;
  bool finite = true;           ///< the matrix and its factor's diagonal are
  bool solution_finite = true;  ///< or nothing was solved
};

/// A rank's figures for the others, at the end of a run.
struct SystemRankSummary {
  double read = 0;
  double write = 0;
  Traffic all;
  std::uint64_t peak_memory = 0;
};

/// Enters what was run: the problem, the ranks, the kernels.
void tell_run(SystemResult& result, const SystemProblem& problem, const MatrixFlags& flags,
              const Communicator& communicator, const LocalKernels& kernels);
/// Enters a rank's figures, to be called for every rank.
void add_rank(SystemResult& result, const SystemRankSummary& rank);

/// Adds members to the object that --json prints: the problem and its ranks, the times, and what
/// the run took of network and memory.
void put_problem(nlohmann::ordered_json& object, const SystemResult& result);
void put_times(nlohmann::ordered_json& object, const SystemResult& result, double gflops);
void put_resources(nlohmann::ordered_json& object, const SystemResult& result);

}  // namespace cuboid::detail::tools
