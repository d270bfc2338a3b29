#include "tools/lu/lu_run.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/matrix_files.hpp>
#include <cuboid/norms.hpp>
#include <cuboid/redistribute.hpp>

#include "base/stopwatch.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/solvers/solve_by_single_precision.hpp"
#include "tools/command/memory.hpp"
#include "tools/command/over_ranks.hpp"
#include "tools/command/timed_runs.hpp"
#include "tools/factorisation/plan_table.hpp"
#include "tools/factorisation/positive_definite.hpp"
#include "tools/factorisation/step_cost.hpp"
#include "tools/lu/lu_check.hpp"

#include <cmath>
#include <complex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// A rank's figures for the others, at the end.
struct LuRankSummary : SystemRankSummary {
  LuSeconds phases;
  LuCommunication traffic;
};

constexpr const char* less_memory = "use more nodes, fewer layers or a smaller --type";

/// One rank's run of the command.
template <MatrixElement T>
class LuRun {
 public:
  LuRun(const LuOptions& options, const SystemProblem& problem, const Communicator& communicator,
        const LocalKernels& kernels, Progress& progress)
      : options_(options),
        problem_(problem),
        communicator_(communicator),
        kernels_(kernels),
        progress_(progress),
        request_(factorise_request<T>(communicator, options.kind(), problem.m, problem.n)),
        plan_(planned()) {}

  LuResult run() {
    require_memory_for(problem_, plan_.grid.size(), plan_.memory_bytes, communicator_, less_memory);
    const Matrix<T> A = matrix();
    LuResult result;
    if constexpr (DoublePrecision<T>) {
      if (options_.flags.mixed) {
        solve_in_mixed_precision(A, result);
        summarise(result);
        return result;
      }
    }
    const LuFactorisation<T> factors = factorise_repeatedly(A, result);
    result.info = factors.info();
    result.finite = factors.is_finite();
    tell_determinant(factors, result);
    if (options_.flags.check) {
      progress_.step("check");
      result.check = check_factors(A, factors, kernels_);
    }
    if (problem_.right_hand_sides > 0 && result.info == 0 && result.finite)
      solve(A, factors, result);
    write_factors(factors, result);
    summarise(result);
    return result;
  }

 private:
  /// The matrix alone must fit before anything is planned.
  FactorisePlan planned() const {
    require_memory_for(problem_, communicator_.size(), 0, communicator_, less_memory);
    return plan_factorisation(request_, options_.how);
  }

  Matrix<T> matrix() {
    progress_.step(options_.from_files() ? "read" : "generate");
    const Stopwatch watch(summary_.read);
    const Layout layout = factorisation_layout(problem_.m, problem_.n, plan_);
    if (options_.from_files())
      return read_matrix<T>(options_.flags.a, layout, communicator_, options_.flags.reading());
    Matrix<T> matrix = new_matrix<T>(communicator_, layout);
    if (options_.flags.cholesky) {
      fill_positive_definite(matrix, options_.flags.seed);
    } else {
      matrix.fill_random(options_.flags.seed);
    }
    return matrix;
  }

  /// Runs `work` as often as the user asked, and notes the median time and its phases.
  template <class Work>
  void repeat(const char* what, LuResult& result, const Work& work) {
    const auto runs = timed_runs(communicator_, progress_, what, options_.flags.repeat, work);
    summary_.peak_memory = peak_resident_memory();
    summary_.all = runs.traffic;
    summary_.phases = runs.phases;
    result.seconds = runs.seconds;
  }

  LuFactorisation<T> factorise_repeatedly(const Matrix<T>& A, LuResult& result) {
    std::optional<LuFactorisation<T>> factors;
    repeat("factorise", result, [&] {
      factors.reset();
      factors.emplace(options_.flags.cholesky
                          ? cholesky_on_plan(A, kernels_, plan_, Triangle::lower)
                          : factorise_on_plan(A, kernels_, plan_, options_.how.pivoting));
      return factors->seconds();
    });
    summary_.traffic = factors->traffic();
    return std::move(*factors);
  }

  Layout solution_layout() const {
    return Layout::block_cyclic(problem_.n, problem_.right_hand_sides, plan_.block,
                                problem_.right_hand_sides, GridShape(communicator_.size(), 1));
  }

  void solve_in_mixed_precision(const Matrix<T>& A, LuResult& result) {
    const Matrix<T> B = right_hand_sides(solution_layout());
    Matrix<T> X = new_matrix<T>(communicator_, B.layout());
    MixedPrecisionOptions how;
    how.factorise = options_.how;
    if (options_.flags.cholesky) how.matrix = MatrixClass::positive_definite;
    repeat("solve", result, [&] {
      redistribute(Op::none, B, X);
      result.mixed.emplace();
      if (const auto factors = solve_by_single_precision(A, X, kernels_, how, *result.mixed)) {
        result.info = factors->info();
        result.finite = factors->is_finite();
        if (result.info == 0 && result.finite) factors->solve(X);
      }
      return LuSeconds{};
    });
    if (result.info != 0 || !result.finite) return;
    if (options_.flags.check) result.check.emplace();
    finish(A, B, X, result);
  }

  void solve(const Matrix<T>& A, const LuFactorisation<T>& factors, LuResult& result) {
    progress_.step("solve");
    const Matrix<T> B = right_hand_sides(solution_layout());
    Matrix<T> X = new_matrix<T>(communicator_, B.layout());
    redistribute(Op::none, B, X);
    double took = 0;
    barrier(communicator_);
    {
      const Stopwatch watch(took);
      factors.solve(X);
      refine(factors, A, B, X, options_.flags.refine, kernels_);
    }
    result.solve_seconds = of_slowest(communicator_, took);
    finish(A, B, X, result);
  }

  /// Checks the solution and writes it.
  void finish(const Matrix<T>& A, const Matrix<T>& B, const Matrix<T>& X, LuResult& result) {
    result.solution_finite = std::isfinite(norm(Norm::maximum, X));
    if (result.check) result.check->solution = scaled_residual(A, X, B, kernels_);
    const bool wrong = !result.solution_finite || (result.check && !result.check->holds());
    if (options_.flags.output.empty() || wrong) return;
    progress_.step("write");
    const Stopwatch watch(summary_.write);
    write_matrix(options_.flags.output, X);
    result.output = options_.flags.output;
  }

  Matrix<T> right_hand_sides(const Layout& layout) {
    const Stopwatch watch(summary_.read);
    if (!options_.flags.b.empty())
      return read_matrix<T>(options_.flags.b, layout, communicator_, options_.flags.reading());
    Matrix<T> B = new_matrix<T>(communicator_, layout);
    B.fill_random(options_.flags.seed + 1);
    return B;
  }

  void write_factors(const LuFactorisation<T>& factors, LuResult& result) {
    if (options_.flags.factors.empty()) return;
    progress_.step("write");
    Matrix<T> both =
        new_matrix<T>(communicator_, factorisation_layout(problem_.m, problem_.n, plan_));
    factors.copy_to(both);
    const Stopwatch watch(summary_.write);
    write_matrix(options_.flags.factors, both);
    result.factors_output = options_.flags.factors;
  }

  void tell_determinant(const LuFactorisation<T>& factors, LuResult& result) const {
    if (problem_.m != problem_.n || !result.finite) return;
    const Determinant<T> determinant = factors.determinant();
    result.sign_real = std::real(determinant.sign);
    result.sign_imaginary = std::imag(determinant.sign);
    result.log_determinant = determinant.logarithm_of_size;
  }

  void summarise(LuResult& result) const {
    tell_run(result, problem_, options_.flags, communicator_, kernels_);
    result.cholesky = options_.flags.cholesky;
    result.pivoting = options_.flags.cholesky ? Pivoting::none : options_.how.pivoting;
    result.plan = plan_;
    if (options_.flags.explain) {
      const auto candidates = factorise_candidates(request_, options_.how);
      result.explanation = plan_table(candidates, candidates.size());
    }
    for (const LuRankSummary& rank : of_all_ranks(communicator_, summary_)) {
      const double share = 1.0 / plan_.grid.size();
      result.phases.panel += share * rank.phases.panel;
      result.phases.rows += share * rank.phases.rows;
      result.phases.multicast += share * rank.phases.multicast;
      result.phases.update += share * rank.phases.update;
      result.phases.interchange += share * rank.phases.interchange;
      add_share(result.sent.panel, rank.traffic.panel, share);
      add_share(result.sent.multicast, rank.traffic.multicast, share);
      add_share(result.sent.rows, rank.traffic.rows, share);
      add_share(result.sent.interchange, rank.traffic.interchange, share);
      add_rank(result, rank);
    }
  }

  const LuOptions& options_;
  const SystemProblem& problem_;
  const Communicator& communicator_;
  const LocalKernels& kernels_;
  Progress& progress_;
  FactoriseRequest request_;
  FactorisePlan plan_;
  LuRankSummary summary_;
};

}  // namespace

int progress_steps(const LuOptions& options, const SystemProblem& problem) {
  const LuFlags& flags = options.flags;
  const bool solves_apart = problem.right_hand_sides > 0 && !flags.mixed;
  return 1 + flags.repeat + (flags.check && !flags.mixed ? 1 : 0) + (solves_apart ? 1 : 0) +
         (flags.output.empty() ? 0 : 1) + (flags.factors.empty() ? 0 : 1);
}

template <MatrixElement T>
LuResult run_factorisation(const LuOptions& options, const SystemProblem& problem,
                           const Communicator& communicator, const LocalKernels& kernels,
                           Progress& progress) {
  return LuRun<T>(options, problem, communicator, kernels, progress).run();
}

#define CUBOID_FOR(T)                                                            \
  template LuResult run_factorisation<T>(const LuOptions&, const SystemProblem&, \
                                         const Communicator&, const LocalKernels&, Progress&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail::tools
