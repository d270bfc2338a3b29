#include "tools/qr/qr.hpp"

#include <cuboid/matrix_files.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "tools/command/ranks.hpp"
#include "tools/output/progress.hpp"
#include "tools/qr/qr_options.hpp"
#include "tools/qr/qr_result.hpp"
#include "tools/qr/qr_run.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// What can be found wrong without ranks.
SystemProblem checked_problem(const QrRunOptions& options) {
  const QrFlags& flags = options.flags;
  for (const std::string& path : {flags.q, flags.r, flags.factors, flags.output}) {
    if (!path.empty()) check_matrix_file_writable(path);
  }
  return plan_problem(options);
}

/// What one rank does from beginning to end.
QrResult run_rank(const QrRunOptions& options, const Communicator& communicator) {
  const bool first = communicator.rank() == 0;
  const SystemProblem problem = collective_try(
      communicator, [&] { return first ? checked_problem(options) : plan_problem(options); });
  const LocalKernels kernels = collective_try(
      communicator, [&] { return LocalKernels::open(communicator, options.flags.threads); });
  if (first && !kernels.gemm.advice().empty()) communicator.logger().warn(kernels.gemm.advice());
  Progress progress(progress_steps(options), first);
  return with_element_type(problem.type, [&]<class T>() {
    return run_qr_factorisation<T>(options, problem, communicator, kernels, progress);
  });
}

/// What the run has found wrong with the matrix or its factors; empty: nothing.
std::string complaint(const QrResult& result) {
  const bool solves = result.command == QrCommand::lstsq;
  if (!result.finite) {
    return fmt::format("the factors are not finite: the matrix is not{}",
                       solves ? "; nothing was solved" : "");
  }
  if (solves && result.info > 0)
    return fmt::format("not of full rank: R has a 0 at {}; nothing was solved", result.info);
  if (!result.solution_finite)
    return "the solution is not finite: the right-hand sides are not, or the matrix has nearly not "
           "full rank; nothing was written";
  if (!result.check || result.check->holds()) return {};
  return fmt::format("--check: a scaled error is more than {:.0f}", QrCheck::bound);
}

ExitCode run_command(QrCommand which, const QrFlags& flags, const Environment& given) {
  QrRunOptions options = read_flags(which, flags);
  const Environment environment = flags.in(given);
  const Ranks ranks(flags.ranks, options.how.grid ? options.how.grid->size()
                                                  : ranks_for_usable_cores(flags.threads));
  options.flags.threads = sensible_threads(flags.threads, environment, ranks.speak());
  ranks.require_room();
  if (ranks.in_this_process() == ranks.size()) {
    const SystemProblem problem = checked_problem(options);
    plan_qr({FactorisationKind::qr, problem.m, problem.n, bytes_of(problem.type), ranks.size()},
            options.how);
  }
  QrResult result = ranks.result_of(environment, [&](const Communicator& communicator) {
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

void add_command(CLI::App* command, QrCommand which, CommandContext& context) {
  const auto flags = std::make_shared<QrFlags>();
  declare_flags(*command, which, *flags);
  command->callback([which, flags, &context] {
    context.action = [which, flags, &context] {
      return run_command(which, *flags, context.environment);
    };
  });
}

}  // namespace

void add_qr_commands(CLI::App& app, CommandContext& context) {
  CLI::App* const qr = app.add_subcommand("qr", "Factorise a matrix, A = Q*R");
  qr->footer(
      "Examples:\n"
      "  cuboid qr A.npy --q Q.npy --r R.npy --check\n"
      "  cuboid qr --m 1000000 --n 32 --ranks 4 --json\n"
      "  mpirun -n 4 cuboid qr A.npy --factors F.npy");
  add_command(qr, QrCommand::qr, context);
  CLI::App* const lstsq = app.add_subcommand(
      "lstsq", "Solve least-squares problems, min |A*X - B|, by QR; the least X where m < n");
  lstsq->footer(
      "Examples:\n"
      "  cuboid lstsq A.npy -b B.npy -o X.npy --check\n"
      "  cuboid lstsq --m 100000 --n 64 --rhs 3 --ranks 4");
  add_command(lstsq, QrCommand::lstsq, context);
}

}  // namespace cuboid::detail::tools
