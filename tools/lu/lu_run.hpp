#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_lapack.hpp>

#include "tools/lu/lu_options.hpp"
#include "tools/lu/lu_result.hpp"
#include "tools/output/progress.hpp"

namespace cuboid::detail::tools {

/// How many steps a run announces to its progress bar.
int progress_steps(const LuOptions& options, const SystemProblem& problem);

/// One rank's part: brings or makes the matrix, factorises it as often as asked, solves, checks and
/// writes. Collective; the result is the same on every rank. Throws what planning, reading,
/// factorising and writing throw.
template <MatrixElement T>
LuResult run_factorisation(const LuOptions& options, const SystemProblem& problem,
                           const Communicator& communicator, const LocalKernels& kernels,
                           Progress& progress);

}  // namespace cuboid::detail::tools
