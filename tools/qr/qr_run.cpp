#include "tools/qr/qr_run.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/matrix_files.hpp>
#include <cuboid/norms.hpp>
#include <cuboid/redistribute.hpp>

#include "base/stopwatch.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "tools/command/memory.hpp"
#include "tools/command/over_ranks.hpp"
#include "tools/command/timed_runs.hpp"
#include "tools/factorisation/plan_table.hpp"
#include "tools/factorisation/step_cost.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// A rank's figures for the others, at the end.
struct QrRankSummary : SystemRankSummary {
  QrSeconds phases;
  QrCommunication traffic;
};

/// One rank's run of a command.
template <MatrixElement T>
class QrRun {
 public:
  QrRun(const QrRunOptions& options, const SystemProblem& problem, const Communicator& communicator,
        const LocalKernels& kernels, Progress& progress)
      : options_(options),
        problem_(problem),
        communicator_(communicator),
        kernels_(kernels),
        progress_(progress),
        request_(factorise_request<T>(communicator, FactorisationKind::qr, factorised_rows(),
                                      factorised_columns())),
        plan_(planned()) {}

  QrResult run() {
    require_memory(plan_.grid.size(), plan_.memory_bytes);
    const Matrix<T> A = matrix();
    QrResult result;
    const QrFactorisation<T> factors = factorised(A, result);
    result.info = factors.info();
    result.finite = factors.is_finite();
    if (options_.command == QrCommand::qr) {
      if (options_.flags.check) {
        progress_.step("check");
        result.check = check_factors(A, factors, kernels_);
      }
      write_factors(factors, result);
    } else if (result.info == 0 && result.finite) {
      solve(A, factors, result);
    }
    summarise(result);
    return result;
  }

 private:
  bool adjoint() const { return factorises_adjoint(options_.command, problem_); }
  std::int64_t factorised_rows() const { return adjoint() ? problem_.n : problem_.m; }
  std::int64_t factorised_columns() const { return adjoint() ? problem_.m : problem_.n; }

  void require_memory(int workers, std::int64_t planned) const {
    require_memory_for(problem_, workers, planned, communicator_,
                       "use more nodes or a smaller --type");
  }

  /// The matrix alone must fit before anything is planned.
  QrPlan planned() const {
    require_memory(communicator_.size(), 0);
    return plan_qr(request_, options_.how);
  }

  Matrix<T> matrix() {
    progress_.step(options_.from_files() ? "read" : "generate");
    const Stopwatch watch(summary_.read);
    const Layout layout = plan_.layout(problem_.m, problem_.n);
    if (options_.from_files())
      return read_matrix<T>(options_.flags.a, layout, communicator_, options_.flags.reading());
    Matrix<T> random = new_matrix<T>(communicator_, layout);
    random.fill_random(options_.flags.seed);
    return random;
  }

  QrFactorisation<T> factorised(const Matrix<T>& A, QrResult& result) {
    std::optional<Matrix<T>> turned;
    if (adjoint()) {
      turned.emplace(new_matrix<T>(communicator_, plan_.layout(problem_.n, problem_.m)));
      redistribute(Op::conjugate_transpose, A, *turned);
    }
    std::optional<QrFactorisation<T>> factors;
    const auto factorise = [&] {
      factors.reset();
      factors.emplace(qr_on_plan(turned ? *turned : A, kernels_, plan_));
      return factors->seconds();
    };
    const auto runs =
        timed_runs(communicator_, progress_, "factorise", options_.flags.repeat, factorise);
    summary_.peak_memory = peak_resident_memory();
    summary_.traffic = factors->traffic();
    summary_.all = runs.traffic;
    summary_.phases = runs.phases;
    result.seconds = runs.seconds;
    return std::move(*factors);
  }

  void solve(const Matrix<T>& A, const QrFactorisation<T>& factors, QrResult& result) {
    progress_.step("solve");
    const std::int64_t columns = problem_.right_hand_sides;
    const GridShape lines(communicator_.size(), 1);
    const Matrix<T> B = right_hand_sides(Layout::block(problem_.m, columns, lines));
    Matrix<T> X = new_matrix<T>(communicator_, Layout::block(problem_.n, columns, lines));
    double took = 0;
    barrier(communicator_);
    {
      const Stopwatch watch(took);
      if (adjoint()) {
        factors.minimum_norm(B, X);
      } else {
        factors.least_squares(B, X);
      }
    }
    result.solve_seconds = of_slowest(communicator_, took);
    result.solution_finite = std::isfinite(norm(Norm::maximum, X));
    if (options_.flags.check) result.check = check_solution(A, X, B, kernels_);
    if (result.solution_finite && (!result.check || result.check->holds()))
      write(
          options_.flags.output, [&]() -> const Matrix<T>& { return X; }, result);
  }

  Matrix<T> right_hand_sides(const Layout& layout) {
    const Stopwatch watch(summary_.read);
    if (!options_.flags.b.empty())
      return read_matrix<T>(options_.flags.b, layout, communicator_, options_.flags.reading());
    Matrix<T> B = new_matrix<T>(communicator_, layout);
    B.fill_random(options_.flags.seed + 1);
    return B;
  }

  void write_factors(const QrFactorisation<T>& factors, QrResult& result) {
    const std::int64_t m = problem_.m, n = problem_.n, k = std::min(m, n);
    write(
        options_.flags.q, [&] { return copied(factors, &QrFactorisation<T>::copy_q_to, m, k); },
        result);
    write(
        options_.flags.r, [&] { return copied(factors, &QrFactorisation<T>::copy_r_to, k, n); },
        result);
    write(
        options_.flags.factors, [&] { return copied(factors, &QrFactorisation<T>::copy_to, m, n); },
        result);
  }

  Matrix<T> copied(const QrFactorisation<T>& factors,
                   void (QrFactorisation<T>::*copy)(Matrix<T>&) const, std::int64_t rows,
                   std::int64_t columns) const {
    Matrix<T> copied_to = new_matrix<T>(communicator_, plan_.layout(rows, columns));
    (factors.*copy)(copied_to);
    return copied_to;
  }

  /// Nothing without a path.
  template <class Make>
  void write(const std::string& path, const Make& make, QrResult& result) {
    if (path.empty()) return;
    progress_.step("write");
    const Matrix<T>& matrix = make();
    const Stopwatch watch(summary_.write);
    write_matrix(path, matrix);
    result.written.push_back(path);
  }

  void summarise(QrResult& result) const {
    result.command = options_.command;
    tell_run(result, problem_, options_.flags, communicator_, kernels_);
    result.plan = plan_;
    if (options_.flags.explain) {
      const auto candidates = qr_candidates(request_, options_.how);
      result.explanation = plan_table(candidates, candidates.size());
    }
    for (const QrRankSummary& rank : of_all_ranks(communicator_, summary_)) {
      const double share = 1.0 / plan_.grid.size();
      result.phases.panel += share * rank.phases.panel;
      result.phases.multicast += share * rank.phases.multicast;
      result.phases.sums += share * rank.phases.sums;
      result.phases.update += share * rank.phases.update;
      add_share(result.sent.panel, rank.traffic.panel, share);
      add_share(result.sent.multicast, rank.traffic.multicast, share);
      add_share(result.sent.sums, rank.traffic.sums, share);
      add_rank(result, rank);
    }
  }

  const QrRunOptions& options_;
  const SystemProblem& problem_;
  const Communicator& communicator_;
  const LocalKernels& kernels_;
  Progress& progress_;
  FactoriseRequest request_;
  QrPlan plan_;
  QrRankSummary summary_;
};

}  // namespace

int progress_steps(const QrRunOptions& options) {
  const QrFlags& flags = options.flags;
  int steps = 1 + flags.repeat;
  steps += options.command == QrCommand::lstsq || flags.check ? 1 : 0;
  for (const std::string& path : {flags.q, flags.r, flags.factors, flags.output})
    steps += path.empty() ? 0 : 1;
  return steps;
}

template <MatrixElement T>
QrResult run_qr_factorisation(const QrRunOptions& options, const SystemProblem& problem,
                              const Communicator& communicator, const LocalKernels& kernels,
                              Progress& progress) {
  return QrRun<T>(options, problem, communicator, kernels, progress).run();
}

#define CUBOID_INSTANTIATE(T)                                                          \
  template QrResult run_qr_factorisation<T>(const QrRunOptions&, const SystemProblem&, \
                                            const Communicator&, const LocalKernels&, Progress&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::tools
