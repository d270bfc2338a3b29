#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/norms.hpp>
#include <cuboid/redistribute.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/lu/factorise_plan.hpp"
#include "mm/matrix/finite.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/multiply/same_every_run.hpp"
#include "mm/solvers/gmres.hpp"
#include "mm/solvers/solve_by_single_precision.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

template <class T>
using SinglePrecision = std::conditional_t<is_complex<T>, std::complex<float>, float>;

template <MatrixElement To, MatrixElement From>
Matrix<To> converted(const Matrix<From>& from) {
  const Communicator& communicator = from.communicator();
  Matrix<To> to =
      collective_try(communicator, [&] { return Matrix<To>(communicator, from.layout()); });
  convert<From, To>(from.local(), to.local());
  return to;
}

/// Finds a solution with factors in single precision, and refines it.
template <MatrixElement T>
class MixedPrecisionSolve {
 public:
  using Single = SinglePrecision<T>;
  using R = RealOf<T>;

  MixedPrecisionSolve(const Matrix<T>& A, const Matrix<T>& B, const LocalKernels& kernels,
                      const LuFactorisation<Single>& factors)
      : A_(A),
        B_(B),
        kernels_(kernels),
        factors_(factors),
        X_(new_matrix_like<T>(B)),
        residual_(new_matrix_like<T>(B)),
        tolerance_(std::sqrt(static_cast<R>(A.n())) * std::numeric_limits<R>::epsilon() / 2 *
                   norm(Norm::infinity, A)) {}

  /// Returns true if a solution was found; take_solution() returns it.
  bool run(int most_steps, MixedPrecisionOutcome& outcome) {
    scale(T(0), X_.local());
    redistribute(Op::none, B_, residual_);
    correct_by_factors();
    Progress before = update_residual();
    while (!before.converged()) {
      if (outcome.steps == most_steps || !before.is_finite()) return false;
      ++outcome.steps;
      if (outcome.method == MixedPrecisionMethod::refinement) {
        correct_by_factors();
      } else {
        outcome.gmres_iterations += correct_by_gmres();
      }
      Progress after = update_residual();
      if (!after.halves(before)) {
        if (outcome.method == MixedPrecisionMethod::gmres) return false;
        outcome.method = MixedPrecisionMethod::gmres;
      }
      before = std::move(after);
    }
    return true;
  }

  Matrix<T> take_solution() { return std::move(X_); }

 private:
  /// The norms of the columns of B − A·X, and the limit of each norm.
  struct Progress {
    std::vector<R> residuals;
    std::vector<R> limits;

    bool done(std::size_t column) const { return residuals[column] <= limits[column]; }
    bool converged() const {
      for (std::size_t j = 0; j < residuals.size(); ++j) {
        if (!done(j)) return false;
      }
      return true;
    }
    bool is_finite() const {
      return std::ranges::all_of(residuals, [](R residual) { return std::isfinite(residual); });
    }
    /// True if each residual that is still too large is at most half of what it was before.
    bool halves(const Progress& before) const {
      for (std::size_t j = 0; j < residuals.size(); ++j) {
        if (!done(j) && !(residuals[j] <= before.residuals[j] / 2)) return false;
      }
      return true;
    }
  };

  /// ‖·‖∞ of each column, on every rank.
  std::vector<R> column_norms(const Matrix<T>& matrix) const {
    std::vector<R> norms(static_cast<std::size_t>(matrix.n()));
    if (norms.empty()) return norms;
    // Elements that are not finite count as infinity, because NaN compares with nothing.
    for_each_element(matrix, [&](std::size_t column, T element) {
      const R size = std::abs(element);
      norms[column] =
          std::max(norms[column], std::isfinite(size) ? size : std::numeric_limits<R>::infinity());
    });
    allreduce(matrix.communicator(), norms, norms, Reduction::Kind::maximum);
    return norms;
  }

  template <class Use>
  static void for_each_element(const Matrix<T>& matrix, const Use& use) {
    const auto here = matrix.position();
    if (!here) return;
    const LocalView<const T> local = matrix.local();
    for (Local<Column> j; j.value < local.columns; ++j) {
      const auto column = matrix.layout().columns().global(here->column, j).value;
      for (std::int64_t i = 0; i < local.rows; ++i)
        use(static_cast<std::size_t>(column), local(i, j.value));
    }
  }

  /// residual ← B − A·X.
  Progress update_residual() {
    redistribute(Op::none, B_, residual_);
    multiply<T>(T(-1), A_, X_, T(1), residual_, kernels_.gemm, same_every_run);
    Progress progress{column_norms(residual_), column_norms(X_)};
    for (R& limit : progress.limits) limit *= tolerance_;
    return progress;
  }

  /// Solves with the factors. Each column is divided by its norm, so that it fits single precision,
  /// and multiplied by the norm afterwards.
  void apply_factors(Matrix<T>& columns) const {
    const std::vector<R> norms = column_norms(columns);
    const auto rescale = [&](const auto& factor) {
      const auto here = columns.position();
      if (!here) return;
      const LocalView<T> local = columns.local();
      for (Local<Column> j; j.value < local.columns; ++j) {
        const auto column = columns.layout().columns().global(here->column, j).value;
        const R size = norms[static_cast<std::size_t>(column)];
        if (size == R(0)) continue;
        for (std::int64_t i = 0; i < local.rows; ++i) factor(local(i, j.value), size);
      }
    };
    rescale([](T& element, R size) { element /= size; });
    Matrix<Single> single = converted<Single>(columns);
    factors_.solve(single);
    convert<Single, T>(single.local(), columns.local());
    rescale([](T& element, R size) { element *= size; });
  }

  void correct_by_factors() {
    apply_factors(residual_);
    add<T>(T(1), Op::none, residual_.local(), T(1), X_.local());
  }

  /// X ← X + d. GMRES solves A·d = B − A·X column by column, preconditioned from the left by the
  /// factors, which are applied in double precision (Carson and Higham 2017, algorithm 1.1).
  int correct_by_gmres() {
    // A more accurate d would not improve the next step's residual. The tolerance is from that
    // paper.
    constexpr R tolerance = R(1e-4);
    constexpr int most_iterations = 100;
    if (!preconditioner_) preconditioner_.emplace(in_double_precision(factors_));
    const Communicator& communicator = A_.communicator();
    Matrix<T> vector =
        new_matrix<T>(communicator, Layout::block(A_.n(), 1, GridShape(communicator.size(), 1)));
    Matrix<T> product = new_matrix_like<T>(vector);
    const DistributedOperator<T> preconditioned{
        [&](std::span<T> x) {
          std::ranges::copy(x, vector.data());
          multiply<T>(T(1), A_, vector, T(0), product, kernels_.gemm, same_every_run);
          preconditioner_->solve(product);
          std::copy_n(product.data(), x.size(), x.begin());
        },
        [&](std::span<T> values) {
          allreduce(communicator, values, values, Reduction::Kind::sum);
        }};
    int iterations = 0;
    for (std::int64_t j = 0; j < B_.n(); ++j) {
      redistribute(Op::none, view(residual_, Global<Row>(0), Global<Column>(j), A_.n(), 1),
                   product);
      preconditioner_->solve(product);
      const std::span<T> d(product.data(), static_cast<std::size_t>(product.local_rows()));
      std::vector<T> solution(d.begin(), d.end());
      iterations += Gmres<T>(preconditioned).solve(solution, tolerance, most_iterations).iterations;
      std::ranges::copy(solution, d.begin());
      redistribute<T>(T(1), product, T(1), view(X_, Global<Row>(0), Global<Column>(j), A_.n(), 1));
    }
    return iterations;
  }

  const Matrix<T>& A_;
  const Matrix<T>& B_;
  const LocalKernels& kernels_;
  const LuFactorisation<Single>& factors_;
  Matrix<T> X_;
  Matrix<T> residual_;
  // The factors in double precision, once GMRES needs them.
  std::optional<LuFactorisation<T>> preconditioner_;
  R tolerance_;
};

template <MatrixElement T>
LuFactorisation<T> factors_of(const Matrix<T>& A, const LocalKernels& kernels,
                              const MixedPrecisionOptions& options) {
  return options.matrix == MatrixClass::general ? factorise(A, kernels, options.factorise)
                                                : cholesky(A, kernels, options.factorise);
}

template <MatrixElement T>
void require_sound(const Matrix<T>& A, const Matrix<T>& B, const MixedPrecisionOptions& options) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::invalid_argument, "solve_mixed: " + what);
  };
  if (A.m() != A.n()) refuse(fmt::format("a {}x{} matrix: give a square one", A.m(), A.n()));
  if (B.m() != A.n() || !same_communicator(A.communicator(), B.communicator())) {
    refuse(fmt::format("right-hand sides of {}x{}: give {} rows on the communicator of the matrix",
                       B.m(), B.n(), A.n()));
  }
  if (options.most_steps < 0)
    refuse(fmt::format("{} steps of refinement: give 0 or more", options.most_steps));
}

/// True if single precision can represent every element of A.
template <MatrixElement T>
bool fits_single_precision(const Matrix<T>& A) {
  return norm(Norm::maximum, A) <= static_cast<RealOf<T>>(std::numeric_limits<float>::max());
}

/// Where there is no solution by single precision, rank 0 says why.
template <MatrixElement T>
std::nullopt_t no_solution(const Matrix<T>& A, const std::string& why) {
  if (A.communicator().rank() == 0) {
    A.communicator().logger().warn(
        fmt::format("solve_mixed: {}; the matrix is factorised in double precision", why));
  }
  return std::nullopt;
}

/// The solution by single precision; nullopt if single precision does not suffice.
template <MatrixElement T>
std::optional<Matrix<T>> solution_by_single_precision(const Matrix<T>& A, const Matrix<T>& B,
                                                      const LocalKernels& kernels,
                                                      const MixedPrecisionOptions& options,
                                                      MixedPrecisionOutcome& outcome) {
  using Single = SinglePrecision<T>;
  if (!fits_single_precision(A))
    return no_solution(A, "elements of the matrix are too large for single precision");
  const LuFactorisation<Single> factors = factors_of(converted<Single>(A), kernels, options);
  if (factors.info() != 0) {
    return no_solution(A, factors.is_cholesky()
                              ? "the matrix is not positive definite in single precision"
                              : "the matrix is singular in single precision");
  }
  if (!factors.is_finite()) return no_solution(A, "the factors overflow in single precision");
  MixedPrecisionSolve<T> solve(A, B, kernels, factors);
  if (!solve.run(options.most_steps, outcome)) {
    return no_solution(A, fmt::format("refinement has not converged in {} step{}", outcome.steps,
                                      outcome.steps == 1 ? "" : "s"));
  }
  return solve.take_solution();
}

}  // namespace

std::string_view to_string(MixedPrecisionMethod method) {
  switch (method) {
    case MixedPrecisionMethod::refinement: return "refinement";
    case MixedPrecisionMethod::gmres: return "GMRES";
    case MixedPrecisionMethod::full_precision: break;
  }
  return "full precision";
}

template <DoublePrecision T>
std::optional<LuFactorisation<T>> detail::solve_by_single_precision(
    const Matrix<T>& A, Matrix<T>& B, const LocalKernels& kernels,
    const MixedPrecisionOptions& options, MixedPrecisionOutcome& outcome) {
  require_sound(A, B, options);
  if (A.n() == 0 || B.n() == 0) return std::nullopt;
  HostMirror<T> A_on_host(A), B_on_host(B);
  B_on_host.fetch();
  // A NaN or an infinity stays one in any precision: factorise() and solve() say where it is.
  if (is_finite(A_on_host.get()) && is_finite(B_on_host.get())) {
    if (const auto X = solution_by_single_precision(A_on_host.get(), B_on_host.get(), kernels,
                                                    options, outcome)) {
      copy<T>(X->local(), B_on_host.get().local());
      B_on_host.give_back();
      return std::nullopt;
    }
  }
  outcome.method = MixedPrecisionMethod::full_precision;
  return factors_of(A, kernels, options);
}

template <DoublePrecision T>
MixedPrecisionOutcome solve_mixed(const Matrix<T>& A, Matrix<T>& B, const LocalKernels& kernels,
                                  const MixedPrecisionOptions& options) {
  MixedPrecisionOutcome outcome;
  if (const auto factors = solve_by_single_precision(A, B, kernels, options, outcome))
    factors->solve(B);
  return outcome;
}

#define CUBOID_FOR(T)                                                                           \
  template std::optional<LuFactorisation<T>> detail::solve_by_single_precision(                 \
      const Matrix<T>&, Matrix<T>&, const LocalKernels&, const MixedPrecisionOptions&,          \
      MixedPrecisionOutcome&);                                                                  \
  template MixedPrecisionOutcome solve_mixed(const Matrix<T>&, Matrix<T>&, const LocalKernels&, \
                                             const MixedPrecisionOptions&);
CUBOID_FOR(double)
CUBOID_FOR(std::complex<double>)
#undef CUBOID_FOR

}  // namespace cuboid
