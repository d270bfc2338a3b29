#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/redistribute.hpp>

#include "base/stopwatch.hpp"
#include "collectives/communicator/idle_ranks.hpp"
#include "mm/local/device_factorisation.hpp"
#include "mm/lu/distributed_triangles.hpp"
#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/layered_cholesky.hpp"
#include "mm/lu/layered_lu.hpp"
#include "mm/lu/solve_systems.hpp"
#include "mm/lu/triangular_inverse.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/finite.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/multiply/same_every_run.hpp"
#include "mm/triangles/triangles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

namespace detail {

template <MatrixElement T>
struct DistributedFactors {
  FactorisePlan plan;
  LocalKernels kernels;
  DistributedTriangles<T> factors;
  LuMethod method;
  RealOf<T> one_norm = 0;
  RealOf<T> infinity_norm = 0;
  LuOutcome outcome = {};
  bool finite = true;

  std::int64_t m() const { return factors.schedule().m(); }
  std::int64_t n() const { return factors.schedule().n(); }

  void require_square(const char* what) const {
    if (m() == n()) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} of a {}x{} matrix: give a square one", what, m(), n()));
  }

  void require_regular() const {
    if (outcome.zero_pivot == 0) return;
    throw Error(ErrorCode::invalid_argument,
                method.hermitian
                    ? fmt::format("solve: the matrix is not positive definite: its leading minor "
                                  "of order {} is not; use factorise()",
                                  outcome.zero_pivot)
                    : fmt::format("solve: the matrix is singular: pivot U({0}, {0}) is exactly 0",
                                  outcome.zero_pivot));
  }

  TriangularSystem lower(Op op) const {
    return {Triangle::lower, op, method.hermitian ? Diagonal::stored : Diagonal::unit};
  }
  TriangularSystem upper(Op op) const { return {Triangle::upper, op, Diagonal::stored}; }
};

}  // namespace detail

using namespace detail;

namespace {

/// Sends the outcome to the ranks outside the grid.
void share_outcome(const Communicator& communicator, const PanelSchedule& schedule,
                   LuOutcome& outcome, int workers) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t zero = outcome.zero_pivot > 0 ? outcome.zero_pivot : none;
  allreduce(communicator, std::span(&zero, 1), std::span(&zero, 1), Reduction::Kind::minimum);
  outcome.zero_pivot = zero == none ? 0 : zero;
  if (workers == communicator.size()) return;
  outcome.swaps.resize(static_cast<std::size_t>(std::min(schedule.m(), schedule.n())));
  if (!outcome.swaps.empty()) broadcast(communicator, outcome.swaps, 0);
}

/// The outcome of work that factorises a matrix at once, if one rank has all of it and the work is
/// done.
template <MatrixElement T, class Work>
std::optional<LuOutcome> at_once(const DistributedTriangles<T>& factors, const Work& work) {
  const PanelSchedule& schedule = factors.schedule();
  if (schedule.rows() * schedule.columns() * schedule.layers() > 1) return std::nullopt;
  LuOutcome outcome;
  bool done = false;
  {
    const Stopwatch watch(outcome.seconds.update);
    done = work(outcome);
  }
  if (!done) return std::nullopt;
  return outcome;
}

template <MatrixElement T>
std::optional<LuOutcome> lu_at_once(DistributedTriangles<T>& factors, const LuMethod& method,
                                    const LocalKernels& kernels) {
  if (method.pivoting == Pivoting::none) return std::nullopt;
  return at_once(factors, [&](LuOutcome& outcome) {
    const PanelSchedule& schedule = factors.schedule();
    outcome.swaps.resize(static_cast<std::size_t>(std::min(schedule.m(), schedule.n())));
    return lu_on_device(kernels.gemm, factors.parts(), std::span(outcome.swaps));
  });
}

template <MatrixElement T>
std::optional<LuOutcome> cholesky_at_once(DistributedTriangles<T>& factors,
                                          const LocalKernels& kernels) {
  return at_once(factors, [&](LuOutcome& outcome) {
    // No row is swapped.
    outcome.swaps.resize(static_cast<std::size_t>(factors.schedule().n()));
    std::iota(outcome.swaps.begin(), outcome.swaps.end(), 0);
    return cholesky_on_device(kernels.gemm, factors.parts());
  });
}

/// @param factorise  factorises the matrix, which has been read, in place, on the grid's ranks.
template <MatrixElement T, class Factorise>
LuFactorisation<T> factorised(std::unique_ptr<DistributedFactors<T>> state,
                              const Factorise& factorise) {
  DistributedTriangles<T>& factors = state->factors;
  const Communicator& communicator = factors.communicator();
  state->one_norm = factors.one_norm();
  if (state->method.hermitian) state->infinity_norm = state->one_norm;
  // The norm may be infinite although all elements are finite.
  const bool matrix_finite = std::isfinite(state->one_norm) || factors.is_finite();
  factors.work([&] { state->outcome = factorise(); });
  share_outcome(communicator, factors.schedule(), state->outcome, state->plan.grid.size());
  state->finite = matrix_finite && factors.has_finite_diagonal();
  if (!state->finite && communicator.rank() == 0) {
    communicator.logger().warn(
        fmt::format("the factors are not finite: {}",
                    !matrix_finite ? "the matrix has a NaN or an infinity"
                    : state->method.pivoting == Pivoting::none
                        ? "the matrix needs pivoting, or its elements are too large"
                        : "the matrix's elements are too large"));
  }
  return LuFactorisation<T>(std::move(state));
}

template <MatrixElement To, MatrixElement From>
LuFactorisation<To> converted(const DistributedFactors<From>& from) {
  auto to = std::make_unique<DistributedFactors<To>>(DistributedFactors<To>{
      from.plan, from.kernels,
      DistributedTriangles<To>(from.factors.communicator(), from.m(), from.n(), from.plan),
      from.method, static_cast<RealOf<To>>(from.one_norm),
      static_cast<RealOf<To>>(from.infinity_norm), from.outcome, from.finite});
  convert<From, To>(from.factors.parts(), to->factors.parts());
  return LuFactorisation<To>(std::move(to));
}

template <MatrixElement T>
std::unique_ptr<DistributedFactors<T>> room_for_factors(const Matrix<T>& A,
                                                        const LocalKernels& kernels,
                                                        const FactorisePlan& plan,
                                                        const LuMethod& method) {
  return std::make_unique<DistributedFactors<T>>(DistributedFactors<T>{
      plan, kernels, DistributedTriangles<T>(A.communicator(), A.m(), A.n(), plan), method});
}

/// X ← L⁻ᴴ·L⁻¹.
template <MatrixElement T>
void hermitian_inverse(const DistributedFactors<T>& state, Matrix<T>& X) {
  state.factors.copy_to(X, Triangle::lower);
  invert_from_cholesky(Triangle::lower, X, state.kernels);
  Matrix<T> adjoint = new_matrix_like(X);
  redistribute_triangle(Op::conjugate_transpose, X, Triangle::upper, OtherTriangle::undefined,
                        adjoint);
  for_triangle(X, Triangle::upper, [&](auto i, auto j) { X(i, j) = adjoint(i, j); });
}

/// Solves with x as a one-column matrix in a layout.
template <MatrixElement T>
void solve_replicated(const LuFactorisation<T>& factors, const Communicator& communicator,
                      const Layout& layout, Op op, std::span<T> x) {
  Matrix<T> column(communicator, layout);
  const auto value = [&](Global<Row> i, Global<Column>) {
    return x[static_cast<std::size_t>(i.value)];
  };
  column.fill(value);
  factors.solve(column, op);
  std::fill(x.begin(), x.end(), T(0));
  if (const auto here = column.position(); here && column.local_columns() > 0) {
    for (Local<Row> i; i.value < column.local_rows(); ++i) {
      const auto row = column.layout().rows().global(here->row, i);
      x[static_cast<std::size_t>(row.value)] = column(i, Local<Column>(0));
    }
  }
  allreduce(communicator, x, x, Reduction::Kind::sum);
}

}  // namespace

template <MatrixElement T>
LuFactorisation<T>::LuFactorisation(std::unique_ptr<DistributedFactors<T>> factors)
    : state_(std::move(factors)) {}
template <MatrixElement T>
LuFactorisation<T>::LuFactorisation(LuFactorisation&&) noexcept = default;
template <MatrixElement T>
LuFactorisation<T>& LuFactorisation<T>::operator=(LuFactorisation&&) noexcept = default;
template <MatrixElement T>
LuFactorisation<T>::~LuFactorisation() = default;

template <MatrixElement T>
std::int64_t LuFactorisation<T>::m() const {
  return state_->m();
}
template <MatrixElement T>
std::int64_t LuFactorisation<T>::n() const {
  return state_->n();
}
template <MatrixElement T>
const FactorisePlan& LuFactorisation<T>::plan() const {
  return state_->plan;
}
template <MatrixElement T>
Pivoting LuFactorisation<T>::pivoting() const {
  return state_->method.pivoting;
}
template <MatrixElement T>
bool LuFactorisation<T>::is_cholesky() const {
  return state_->method.hermitian;
}
template <MatrixElement T>
std::span<const std::int64_t> LuFactorisation<T>::pivots() const {
  return state_->outcome.swaps;
}
template <MatrixElement T>
std::int64_t LuFactorisation<T>::info() const {
  return state_->outcome.zero_pivot;
}
template <MatrixElement T>
bool LuFactorisation<T>::is_finite() const {
  return state_->finite;
}
template <MatrixElement T>
const LuSeconds& LuFactorisation<T>::seconds() const {
  return state_->outcome.seconds;
}
template <MatrixElement T>
const LuCommunication& LuFactorisation<T>::traffic() const {
  return state_->outcome.traffic;
}
template <MatrixElement T>
RealOf<T> LuFactorisation<T>::one_norm() const {
  return state_->one_norm;
}

template <MatrixElement T>
RealOf<T> LuFactorisation<T>::infinity_norm() const {
  return state_->infinity_norm;
}

template <MatrixElement T>
void LuFactorisation<T>::inverse(Matrix<T>& X) const {
  state_->factors.require_fitting("inverse", X, X.m() == n() && X.n() == n(),
                                  fmt::format("{0}x{0}", n()));
  state_->require_square("inverse");
  state_->require_regular();
  HostMirror<T> on_host(X);
  if (is_cholesky()) {
    hermitian_inverse(*state_, on_host.get());
  } else {
    state_->factors.copy_to(on_host.get());
    invert_from_lu(pivots(), on_host.get(), state_->kernels);
  }
  on_host.give_back();
}

template <MatrixElement T>
void LuFactorisation<T>::copy_to(Matrix<T>& factors) const {
  state_->factors.copy_to(factors);
}

template <MatrixElement T>
void LuFactorisation<T>::copy_to(Matrix<T>& factors, Triangle written) const {
  state_->require_square("copy_to one triangle");
  state_->factors.copy_to(factors, written);
}

template <MatrixElement T>
void LuFactorisation<T>::solve(Matrix<T>& B, Op op) const {
  state_->require_square("solve");
  state_->require_regular();
  const DistributedTriangles<T>& factors = state_->factors;
  HostMirror<T> on_host(B);
  on_host.fetch();
  Matrix<T>& X = on_host.get();
  warn_unless_finite("solve", X);
  if (op == Op::none) {
    solve_systems<T>(factors, std::array{state_->lower(op), state_->upper(op)}, T(1),
                     {.before = pivots()}, X, state_->kernels);
  } else {
    solve_systems<T>(factors, std::array{state_->upper(op), state_->lower(op)}, T(1),
                     {.after = pivots()}, X, state_->kernels);
  }
  on_host.give_back();
}

template <MatrixElement T>
Determinant<T> LuFactorisation<T>::determinant() const {
  state_->require_square("determinant");
  return state_->factors.diagonal_product(pivots(), is_cholesky() ? 2 : 1);
}

template <MatrixElement T>
RealOf<T> LuFactorisation<T>::reciprocal_condition(Norm kind) const {
  state_->require_square("condition");
  if (kind != Norm::one && kind != Norm::infinity)
    throw Error(ErrorCode::invalid_argument, "condition: give the norm one or infinity");
  if (n() == 0) return 1;
  const RealOf<T> size = kind == Norm::one ? one_norm() : infinity_norm();
  if (info() > 0 || size == 0) return 0;
  const Communicator& communicator = state_->factors.communicator();
  const Layout layout = equations_layout(state_->factors, Op::none, 1);
  // The infinity norm of a matrix is the one norm of its transpose.
  const auto applied = [kind](Op op) {
    if (kind == Norm::one) return op;
    return op == Op::none ? Op::conjugate_transpose : Op::none;
  };
  const double inverse_norm =
      state_->kernels.lapack.template one_norm<T>(n(), [&](Op op, std::span<T> x) {
        solve_replicated(*this, communicator, layout, applied(op), x);
      });
  return 1 / size / static_cast<RealOf<T>>(inverse_norm);
}

template <MatrixElement T>
LuFactorisation<T> factorise(const Matrix<T>& A, const LocalKernels& kernels,
                             const FactoriseOptions& options) {
  return factorise_on_plan(A, kernels, plan_factorisation(FactorisationKind::lu, A, options),
                           options.pivoting);
}

template <MatrixElement T>
LuFactorisation<T> detail::factorise_on_plan(const Matrix<T>& A, const LocalKernels& kernels,
                                             const FactorisePlan& plan, Pivoting pivoting) {
  auto state = room_for_factors(A, kernels, plan, LuMethod{pivoting, false});
  DistributedTriangles<T>& factors = state->factors;
  const LuMethod& method = state->method;
  HostMirror<T> on_host(A);
  factors.load(on_host.get());
  state->infinity_norm = static_cast<RealOf<T>>(norm(Norm::infinity, on_host.get()));
  return factorised(std::move(state), [&] {
    if (const auto outcome = lu_at_once(factors, method, kernels)) return *outcome;
    return factorise_in_layers<T>(factors.grid(), factors.schedule(), method, factors.parts(),
                                  kernels);
  });
}

LuFactorisation<double> detail::in_double_precision(const LuFactorisation<float>& factors) {
  return converted<double>(factors.state());
}
LuFactorisation<std::complex<double>> detail::in_double_precision(
    const LuFactorisation<std::complex<float>>& factors) {
  return converted<std::complex<double>>(factors.state());
}

template <MatrixElement T>
LuFactorisation<T> cholesky(const Matrix<T>& A, const LocalKernels& kernels,
                            const FactoriseOptions& options, Triangle read) {
  if (A.m() != A.n()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("cholesky: a {}x{} matrix: give a square one", A.m(), A.n()));
  }
  return cholesky_on_plan(A, kernels, plan_factorisation(FactorisationKind::cholesky, A, options),
                          read);
}

template <MatrixElement T>
LuFactorisation<T> detail::cholesky_on_plan(const Matrix<T>& A, const LocalKernels& kernels,
                                            const FactorisePlan& plan, Triangle read) {
  auto state = room_for_factors(A, kernels, plan, LuMethod{Pivoting::none, true});
  DistributedTriangles<T>& factors = state->factors;
  factors.load_hermitian(A, read);
  return factorised(std::move(state), [&] {
    if (const auto outcome = cholesky_at_once(factors, kernels)) return *outcome;
    return cholesky_in_layers<T>(factors.grid(), CholeskySchedule(factors.schedule()),
                                 factors.parts(), kernels);
  });
}

template <MatrixElement T>
void refine(const LuFactorisation<T>& factors, const Matrix<T>& A, const Matrix<T>& B, Matrix<T>& X,
            int steps, const LocalKernels& kernels) {
  if (steps < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("refine: {} steps: give 0 or more", steps));
  }
  if (steps == 0) return;
  Matrix<T> residual = new_matrix_like(X);
  for (int step = 0; step < steps; ++step) {
    redistribute(Op::none, B, residual);
    multiply<T>(T(-1), A, X, T(1), residual, kernels.gemm, same_every_run);
    factors.solve(residual);
    redistribute<T>(T(1), residual, T(1), X);
  }
}

template <MatrixElement T>
void solve(const Matrix<T>& A, Matrix<T>& B, const LocalKernels& kernels,
           const FactoriseOptions& options) {
  factorise(A, kernels, options).solve(B);
}

#define CUBOID_FOR(T)                                                                             \
  template class LuFactorisation<T>;                                                              \
  template LuFactorisation<T> factorise(const Matrix<T>&, const LocalKernels&,                    \
                                        const FactoriseOptions&);                                 \
  template LuFactorisation<T> detail::factorise_on_plan(const Matrix<T>&, const LocalKernels&,    \
                                                        const FactorisePlan&, Pivoting);          \
  template LuFactorisation<T> detail::cholesky_on_plan(const Matrix<T>&, const LocalKernels&,     \
                                                       const FactorisePlan&, Triangle);           \
  template LuFactorisation<T> cholesky(const Matrix<T>&, const LocalKernels&,                     \
                                       const FactoriseOptions&, Triangle);                        \
  template void refine(const LuFactorisation<T>&, const Matrix<T>&, const Matrix<T>&, Matrix<T>&, \
                       int, const LocalKernels&);                                                 \
  template void solve(const Matrix<T>&, Matrix<T>&, const LocalKernels&, const FactoriseOptions&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid
