#include "tools/lu/lu.hpp"

#include <cuboid/matrix_files.hpp>

#include "base/saturating.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "tools/command/ranks.hpp"
#include "tools/lu/lu_options.hpp"
#include "tools/lu/lu_result.hpp"
#include "tools/lu/lu_run.hpp"
#include "tools/output/progress.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

/// What can be found wrong without ranks.
SystemProblem checked_problem(const LuOptions& options) {
  for (const std::string& path : {options.flags.output, options.flags.factors}) {
    if (!path.empty()) check_matrix_file_writable(path);
  }
  return plan_problem(options);
}

/// What one rank does from beginning to end.
LuResult run_rank(const LuOptions& options, const Communicator& communicator) {
  const bool first = communicator.rank() == 0;
  const SystemProblem problem = collective_try(
      communicator, [&] { return first ? checked_problem(options) : plan_problem(options); });
  const LocalKernels kernels = collective_try(
      communicator, [&] { return LocalKernels::open(communicator, options.flags.threads); });
  if (first && !kernels.gemm.advice().empty()) communicator.logger().warn(kernels.gemm.advice());
  Progress progress(progress_steps(options, problem), first);
  return with_element_type(problem.type, [&]<class T>() {
    return run_factorisation<T>(options, problem, communicator, kernels, progress);
  });
}

/// What the run has found wrong with the matrix or its factors; empty: nothing.
std::string complaint(const LuResult& result) {
  if (result.info > 0) {
    const bool unsolved = result.problem.right_hand_sides > 0;
    return fmt::format("{}: {} at {}{}", result.cholesky ? "not positive definite" : "singular",
                       result.cholesky ? "leading minor" : "a pivot of 0", result.info,
                       unsolved ? "; nothing was solved" : "");
  }
  if (!result.finite) {
    return fmt::format("the factors are not finite: the matrix is not{}; nothing was solved",
                       result.pivoting == Pivoting::none ? ", or needs pivoting" : "");
  }
  if (!result.solution_finite)
    return "the solution is not finite: the right-hand sides are not, or the matrix is nearly "
           "singular; nothing was written";
  if (!result.check || result.check->holds()) return {};
  std::vector<std::string> residuals;
  if (result.check->factors)
    residuals.push_back(fmt::format("of the factors {:.2e}", *result.check->factors));
  if (result.check->solution)
    residuals.push_back(fmt::format("of the solution {:.2e}", *result.check->solution));
  return fmt::format("--check: scaled residual {}, more than {:.0f}", fmt::join(residuals, ", "),
                     LuCheck::bound);
}

ExitCode run_lu(const LuFlags& flags, const Environment& given) {
  LuOptions options = read_flags(flags);
  const Environment environment = flags.in(given);
  const int of_grid = options.how.grid ? saturating_product(options.how.grid->size(),
                                                            options.how.layers.value_or(1))
                                       : 0;
  const Ranks ranks(flags.ranks, of_grid > 0 ? of_grid : ranks_for_usable_cores(flags.threads));
  options.flags.threads = sensible_threads(flags.threads, environment, ranks.speak());
  ranks.require_room();
  if (ranks.in_this_process() == ranks.size()) {
    const SystemProblem problem = checked_problem(options);
    const FactoriseRequest request{options.kind(), problem.m, problem.n, bytes_of(problem.type),
                                   ranks.size()};
    plan_factorisation(request, options.how);
  }
  LuResult result = ranks.result_of(environment, [&](const Communicator& communicator) {
    return run_rank(options, communicator);
  });
  result.ranks_in_process = ranks.in_this_process();
  result.peak_memory_bytes_max /= static_cast<std::uint64_t>(ranks.in_this_process());
  const std::string wrong = complaint(result);
  if (ranks.speak()) {
    print_result(result, flags.json);
    if (!wrong.empty()) print_error(wrong);
  }
  return wrong.empty() ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_lu_commands(CLI::App& app, CommandContext& context) {
  const auto add = [&](CLI::App& command, const std::shared_ptr<LuFlags>& flags,
                       const std::string& examples) {
    command.footer(examples);
    declare_flags(command, *flags);
    command.callback([flags, &context] {
      context.action = [flags, &context] { return run_lu(*flags, context.environment); };
    });
  };
  add(*app.add_subcommand("lu", "Factorise a matrix, P*A = L*U or A = L*L^H, and solve A*X = B"),
      std::make_shared<LuFlags>(),
      "Examples:\n"
      "  cuboid lu A.npy -b B.npy -o X.npy --check\n"
      "  cuboid lu --n 4096 --ranks 4 --pivoting partial --json\n"
      "  cuboid lu --n 4096 --ranks 8 --grid 2x2 --layers 2 --check\n"
      "  cuboid lu --n 4096 --cholesky --ranks 4\n"
      "  mpirun -n 4 cuboid lu A.npy --factors LU.npy");
  const auto cholesky = std::make_shared<LuFlags>();
  cholesky->command = "cholesky";
  cholesky->cholesky = true;
  add(*app.add_subcommand("cholesky",
                          "Factorise a positive definite matrix, A = L*L^H, and solve A*X = B"),
      cholesky,
      "The same as cuboid lu --cholesky. Examples:\n"
      "  cuboid cholesky A.npy -b B.npy -o X.npy --check\n"
      "  cuboid cholesky --n 4096 --ranks 8 --grid 2x2 --layers 2 --json");
}

}  // namespace cuboid::detail::tools
