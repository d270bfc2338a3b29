#include "tools/qr/qr_options.hpp"

#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

void check_qr_input(QrCommand which, const QrFlags& flags) {
  check_system_flags(
      flags,
      which == QrCommand::qr
          ? "nothing to factorise: give a file, as in: cuboid qr A.npy --q Q.npy --r R.npy, or --n "
            "for a random matrix"
          : "nothing to solve: give files, as in: cuboid lstsq A.npy -b B.npy -o X.npy, or --n for "
            "a random problem",
      1);
  if (which == QrCommand::lstsq && !flags.a.empty() && flags.b.empty())
    refuse("no right-hand sides: give their file with -b");
  if (flags.block) require_at_least("--block", *flags.block, 1);
  flags.check_values();
}

void declare_input(CLI::App& command, QrFlags& flags) {
  command.add_option("A", flags.a, "Matrix file A: .npy, Matrix Market or FILE.h5:/NAME")
      ->group("Input");
  command.add_option("--n", flags.n, "Random input: columns of A")->group("Input");
  command.add_option("--m", flags.m, "Random input: rows of A (default: those of a square matrix)")
      ->group("Input");
}

void declare_factors(CLI::App& command, QrFlags& flags) {
  command
      .add_option("--q", flags.q,
                  "Write Q, min(m, n) columns of it, to this .npy, .mtx or FILE.h5:/NAME")
      ->group("Output");
  command.add_option("--r", flags.r, "Write R to this .npy, .mtx or FILE.h5:/NAME")
      ->group("Output");
  command
      .add_option("--factors", flags.factors,
                  "Write R and the Householder vectors, as one matrix in LAPACK's format, to this "
                  ".npy, .mtx or FILE.h5:/NAME")
      ->group("Output");
}

void declare_solution(CLI::App& command, QrFlags& flags) {
  command
      .add_option("-b,--rhs-file", flags.b,
                  "File of right-hand sides B: minimise the 2-norms of A*X - B")
      ->group("Input");
  command.add_option("--rhs", flags.rhs, "Random input: number of right-hand sides (default: 1)")
      ->group("Input");
  command.add_option("-o,--output", flags.output, "Write X to this .npy, .mtx or FILE.h5:/NAME")
      ->group("Output");
}

}  // namespace

void declare_flags(CLI::App& command, QrCommand which, QrFlags& flags) {
  declare_input(command, flags);
  if (which == QrCommand::qr) {
    declare_factors(command, flags);
  } else {
    declare_solution(command, flags);
  }
  command.add_option("--grid", flags.grid, "Process grid PxQ (default: the model's choice)")
      ->group("Run");
  command
      .add_option("--block", flags.block,
                  "Columns of a panel, rows and columns of a block (default: the model's choice)")
      ->group("Run");
  declare_matrix_flags(
      command, flags,
      {.runs = "factorisations",
       .memory = "factors and panels",
       .check = which == QrCommand::qr ? "Print the scaled errors of Q*R and of Q^H*Q"
                                       : "Print the scaled error of the solution",
       .explain = "Print the planner's candidates, and the predicted cost of each step"});
}

QrRunOptions read_flags(QrCommand which, const QrFlags& flags) {
  check_qr_input(which, flags);
  QrRunOptions options{.command = which, .flags = flags, .type = flags.element_type(), .how = {}};
  options.how.block = flags.block;
  options.how.memory_limit = flags.memory_limit_bytes();
  if (!flags.grid.empty()) {
    const std::vector<int> extents = parse_extents(flags.grid).value_or(std::vector<int>{});
    if (extents.size() != 2) {
      refuse(fmt::format("--grid {}: give rows and columns of the process grid, e.g. 2x3",
                         flags.grid));
    }
    options.how.grid = GridShape(extents[0], extents[1]);
  }
  return options;
}

SystemProblem plan_problem(const QrRunOptions& options) {
  return plan_system(options.flags, options.type, options.command == QrCommand::lstsq ? 1 : 0);
}

}  // namespace cuboid::detail::tools
