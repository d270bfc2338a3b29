#include "tools/command/system_problem.hpp"

#include <cuboid/matrix_files.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "tools/command/memory.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

SystemProblem described_by_files(const SystemFlags& flags) {
  const MatrixFileDescription a = describe_matrix_file(flags.a);
  SystemProblem problem{a.rows, a.columns, 0, a.type};
  if (flags.b.empty()) return problem;
  const MatrixFileDescription b = describe_matrix_file(flags.b);
  if (b.rows != a.rows) {
    refuse(fmt::format("-b {} is {} x {}, {} is {} x {}: they must have as many rows", flags.b,
                       b.rows, b.columns, flags.a, a.rows, a.columns));
  }
  problem.right_hand_sides = b.columns;
  problem.type = common_type(a.type, b.type);
  return problem;
}

}  // namespace

void check_system_flags(const SystemFlags& flags, const std::string& nothing_given,
                        std::int64_t least_sides) {
  const bool sizes = flags.m || flags.n;
  if (!flags.a.empty() && (sizes || flags.rhs))
    refuse(
        "both a file and --m, --n or --rhs given: those are for random matrices, leave them out");
  if (flags.a.empty() && !flags.n) refuse(nothing_given);
  if (flags.a.empty() && !flags.b.empty())
    refuse(fmt::format("-b {}: is for a matrix from a file; give --rhs", flags.b));
  if (flags.m) require_at_least("--m", *flags.m, 0);
  if (flags.n) require_at_least("--n", *flags.n, 0);
  if (flags.rhs) require_at_least("--rhs", *flags.rhs, least_sides);
}

SystemProblem plan_system(const SystemFlags& flags, std::optional<ElementType> type,
                          std::int64_t sides) {
  const bool from_files = !flags.a.empty();
  SystemProblem problem;
  if (from_files) {
    problem = described_by_files(flags);
  } else {
    problem = {flags.m.value_or(*flags.n), *flags.n, flags.rhs.value_or(sides),
               ElementType::float64};
  }
  if (!type) return problem;
  if (from_files && !fits(problem.type, *type)) {
    refuse(fmt::format("--type {}: cannot hold the {} of the files", letter(*type),
                       to_string(problem.type)));
  }
  problem.type = *type;
  return problem;
}

void require_memory_for(const SystemProblem& problem, int workers, std::int64_t planned,
                        const Communicator& communicator, const char* remedy) {
  collective_try(communicator, [&] {
    const double given = static_cast<double>(bytes_of(problem.type)) *
                         static_cast<double>(problem.m) * static_cast<double>(problem.n) / workers;
    require_node_memory(
        communicator,
        [&](int rank) { return rank < workers ? given + static_cast<double>(planned) : 0; },
        fmt::format("a {} x {} matrix of {}", problem.m, problem.n, to_string(problem.type)),
        remedy);
  });
}

std::string problem_line(const SystemProblem& problem) {
  std::string text =
      fmt::format("matrix      {} x {}, {}", problem.m, problem.n, to_string(problem.type));
  if (problem.right_hand_sides > 0)
    text += fmt::format(", {} right-hand side{}", problem.right_hand_sides,
                        problem.right_hand_sides == 1 ? "" : "s");
  return text + "\n";
}

}  // namespace cuboid::detail::tools
