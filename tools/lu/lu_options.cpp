#include "tools/lu/lu_options.hpp"

#include "base/closest_name.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// Reads PxQ, a layer of the grid, or PxQxC, with its layers.
void read_grid(const LuFlags& flags, FactoriseOptions& how) {
  if (flags.grid.empty()) return;
  const std::vector<int> extents = parse_extents(flags.grid).value_or(std::vector<int>{});
  if (extents.size() < 2 || extents.size() > 3) {
    refuse(
        fmt::format("--grid {}: give rows and columns of the process grid, e.g. 2x3, or with "
                    "layers, e.g. 2x2x2",
                    flags.grid));
  }
  how.grid = GridShape(extents[0], extents[1]);
  if (extents.size() == 2) return;
  if (flags.layers && *flags.layers != extents[2]) {
    refuse(
        fmt::format("--grid {} and --layers {}: give the layers once", flags.grid, *flags.layers));
  }
  how.layers = extents[2];
}

Pivoting read_pivoting(const std::string& text) {
  std::vector<std::string> names;
  for (const Pivoting one : {Pivoting::none, Pivoting::tournament, Pivoting::partial}) {
    if (text == to_string(one)) return one;
    names.emplace_back(to_string(one));
  }
  refuse(fmt::format("--pivoting {}{}: give none, tournament or partial", text,
                     did_you_mean(text, names)));
}

void check_input(const LuFlags& flags) {
  check_system_flags(flags,
                     fmt::format("nothing to factorise: give a file, as in: cuboid {} A.npy -b "
                                 "B.npy -o X.npy, or --n for a random matrix",
                                 flags.command),
                     0);
  require_at_least("--refine", flags.refine, 0);
  if (flags.layers) require_at_least("--layers", *flags.layers, 1);
  if (flags.block) require_at_least("--block", *flags.block, 1);
  flags.check_values();
}

/// Refuses flags about solutions if nothing is solved.
void check_solution_flags(const LuOptions& options, const SystemProblem& problem) {
  if (problem.right_hand_sides > 0) return;
  const LuFlags& flags = options.flags;
  if (!flags.output.empty()) {
    refuse(
        fmt::format("-o {}: nothing is solved for: give right-hand sides with -b, or write the "
                    "factors with --factors",
                    flags.output));
  }
  if (flags.refine > 0) refuse("--refine: nothing is solved for: give right-hand sides with -b");
  if (flags.mixed) refuse("--mixed: nothing is solved for: give right-hand sides with -b");
}

}  // namespace

void declare_flags(CLI::App& command, LuFlags& flags) {
  command.add_option("A", flags.a, "Matrix file A: .npy, Matrix Market or FILE.h5:/NAME")
      ->group("Input");
  command.add_option("-b,--rhs-file", flags.b, "File of right-hand sides B: solve A*X = B")
      ->group("Input");
  command.add_option("--n", flags.n, "Random input: columns of A")->group("Input");
  command.add_option("--m", flags.m, "Random input: rows of A (default: those of a square matrix)")
      ->group("Input");
  command
      .add_option("--rhs", flags.rhs,
                  "Random input: number of right-hand sides; 0 solves nothing (default: 1)")
      ->group("Input");

  command.add_option("-o,--output", flags.output, "Write X to this .npy, .mtx or FILE.h5:/NAME")
      ->group("Output");
  CLI::Option* const factors = command
                                   .add_option("--factors", flags.factors,
                                               "Write L and U, as one matrix in LAPACK's format, "
                                               "to this .npy, .mtx or FILE.h5:/NAME")
                                   ->group("Output");

  if (!flags.cholesky) {
    CLI::Option* const pivoting =
        command
            .add_option(
                "--pivoting", flags.pivoting,
                "none, tournament or partial (the same pivots as LAPACK; a message per column)")
            ->group("Run")
            ->capture_default_str();
    command
        .add_flag(
            "--cholesky", flags.cholesky,
            "Factorise A = L*L^H; A is positive definite, and only its lower triangle is read")
        ->group("Run")
        ->excludes(pivoting);
  }
  command
      .add_option(
          "--grid", flags.grid,
          "Process grid PxQ of each layer, or PxQxC with C layers (default: the model's choice)")
      ->group("Run");
  command
      .add_option("--layers", flags.layers,
                  "Number of layers of 2.5D LU; 1 is 2-D LU (default: the model's choice)")
      ->group("Run");
  command
      .add_option("--block", flags.block,
                  "Rows and columns of a block (default: the model's choice)")
      ->group("Run");
  CLI::Option* const refine =
      command.add_option("--refine", flags.refine, "Number of steps of iterative refinement of X")
          ->group("Run")
          ->capture_default_str();
  command
      .add_flag("--mixed", flags.mixed,
                "Solve by factors in single precision, refined to double precision")
      ->group("Run")
      ->excludes(refine)
      ->excludes(factors);
  declare_matrix_flags(
      command, flags,
      {.runs = "factorisations",
       .memory = "factors and panels",
       .check = "Print the scaled residuals of the factors and of X, and the growth factor",
       .explain = "Print the planner's candidates, and the predicted cost of each step"});
}

LuOptions read_flags(const LuFlags& flags) {
  check_input(flags);
  LuOptions options{.flags = flags, .type = flags.element_type(), .how = {}};
  options.how.pivoting = read_pivoting(flags.pivoting);
  options.how.layers = flags.layers;
  options.how.block = flags.block;
  options.how.memory_limit = flags.memory_limit_bytes();
  read_grid(flags, options.how);
  return options;
}

SystemProblem plan_problem(const LuOptions& options) {
  const LuFlags& flags = options.flags;
  const bool square = !flags.m || flags.m == flags.n;
  const SystemProblem problem = plan_system(flags, options.type, square ? 1 : 0);
  if (problem.m != problem.n && (problem.right_hand_sides > 0 || flags.cholesky)) {
    refuse(fmt::format("a {} x {} matrix: {} takes a square one", problem.m, problem.n,
                       flags.cholesky ? "Cholesky" : "solving"));
  }
  if (flags.mixed && fits(problem.type, ElementType::complex64)) {
    refuse(
        fmt::format("--mixed: a matrix of {} has no half of its precision here: use --type d or z",
                    to_string(problem.type)));
  }
  check_solution_flags(options, problem);
  return problem;
}

}  // namespace cuboid::detail::tools
