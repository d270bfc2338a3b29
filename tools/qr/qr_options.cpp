#include "tools/qr/qr_options.hpp"

#include <cuboid/matrix_files.hpp>

#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"
#include "tools/output/refuse.hpp"

#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

void check_qr_input(QrCommand which, const QrFlags& flags) {
  const bool sizes = flags.m || flags.n;
  if (!flags.a.empty() && (sizes || flags.rhs))
    refuse(
        "both a file and --m, --n or --rhs given: those are for random matrices, leave them out");
  if (flags.a.empty() && !flags.n) {
    refuse(
        which == QrCommand::qr
            ? "nothing to factorise: give a file, as in: cuboid qr A.npy --q Q.npy --r R.npy, or "
              "--n for a random matrix"
            : "nothing to solve: give files, as in: cuboid lstsq A.npy -b B.npy -o X.npy, or --n "
              "for a random problem");
  }
  if (flags.a.empty() && !flags.b.empty())
    refuse(fmt::format("-b {}: is for a matrix from a file; give --rhs", flags.b));
  if (which == QrCommand::lstsq && !flags.a.empty() && flags.b.empty())
    refuse("no right-hand sides: give their file with -b");
  if (flags.m) require_at_least("--m", *flags.m, 0);
  if (flags.n) require_at_least("--n", *flags.n, 0);
  if (flags.rhs) require_at_least("--rhs", *flags.rhs, 1);
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

QrProblem plan_problem(const QrRunOptions& options) {
  const QrFlags& flags = options.flags;
  QrProblem problem;
  if (options.from_files()) {
    const MatrixFileDescription a = describe_matrix_file(flags.a);
    problem = {a.rows, a.columns, 0, a.type};
    if (!flags.b.empty()) {
      const MatrixFileDescription b = describe_matrix_file(flags.b);
      if (b.rows != a.rows) {
        refuse(fmt::format("-b {} is {} x {}, {} is {} x {}: they must have as many rows", flags.b,
                           b.rows, b.columns, flags.a, a.rows, a.columns));
      }
      problem.right_hand_sides = b.columns;
      problem.type = common_type(a.type, b.type);
    }
  } else {
    const std::int64_t n = *flags.n;
    const bool solves = options.command == QrCommand::lstsq;
    problem = {flags.m.value_or(n), n, solves ? flags.rhs.value_or(1) : 0, ElementType::float64};
  }
  if (options.type) {
    if (options.from_files() && !fits(problem.type, *options.type)) {
      refuse(fmt::format("--type {}: cannot hold the {} of the files", letter(*options.type),
                         to_string(problem.type)));
    }
    problem.type = *options.type;
  }
  return problem;
}

}  // namespace cuboid::detail::tools
