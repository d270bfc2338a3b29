#include <cuboid/redistribute.hpp>
#include <cuboid/verify.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/new_matrix.hpp"
#include "mm/verify/product_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <tuple>
#include <utility>

namespace cuboid {

using namespace detail;

namespace {

/// True for two NaNs or two infinities of the same sign. BLAS libraries differ in products of
/// complex NaNs and infinities, and in sums that overflow on the way.
template <MatrixElement T>
bool alike(T value, T other, ElementKind kind) {
  if (is_finite(value) || is_finite(other))
    return kind == ElementKind::either || is_finite(value) == is_finite(other);
  if constexpr (is_complex<T>) {
    return true;
  } else {
    return kind == ElementKind::either || value == other ||
           (std::isnan(value) && std::isnan(other));
  }
}

/// The bounds of a product of matrices anywhere.
template <MatrixElement T>
ProductBounds<T> bounds_of(T alpha, const Operand<T>& A, const Operand<T>& B, T beta,
                           const Matrix<T>& C) {
  HostMirror<T> left(A.matrix), right(B.matrix), added(C);
  return {alpha, {A.op, left.get()}, {B.op, right.get()}, beta, added.get()};
}

/// Rank 0 computes C = α·op(A)·op(B) + β·C; the result is redistributed to C's layout. Collective.
template <MatrixElement T>
Matrix<T> product_on_one_rank(T alpha, const Operand<T>& A, const Operand<T>& B, T beta,
                              const Matrix<T>& C, const LocalGemm& gemm) {
  const Communicator& communicator = C.communicator();
  auto product = new_matrix<T>(communicator, C.layout());
  const auto on_rank_0 = [&](const Matrix<T>& matrix) {
    return Matrix<T>(communicator, Layout::single(matrix.m(), matrix.n()));
  };
  auto [a, b, c] = collective_try(communicator, [&] {
    return std::tuple(on_rank_0(A.matrix), on_rank_0(B.matrix), on_rank_0(C));
  });
  if (alpha != T(0)) {
    redistribute(Op::none, A.matrix, a);
    redistribute(Op::none, B.matrix, b);
  }
  if (beta != T(0)) redistribute(Op::none, C, c);
  // Rank 0 computes slabs of about a second each and sends a message to all ranks after each slab,
  // so that no rank's wait exceeds its deadline.
  constexpr double slab_operations = 2e10;
  const double per_column = 2.0 * static_cast<double>(C.m()) * static_cast<double>(A.n());
  const auto slab = static_cast<std::int64_t>(slab_operations / std::max(per_column, 1.0)) + 1;
  for (std::int64_t j = 0; j < C.n(); j += slab) {
    const std::int64_t columns = std::min(slab, C.n() - j);
    collective_try(communicator, [&] {
      if (communicator.rank() != 0) return;
      const T* b_slab = b.data() + (B.op == Op::none ? j * b.leading_dimension() : j);
      gemm(A.op, B.op, C.m(), columns, A.n(), alpha, a.data(), a.leading_dimension(), b_slab,
           b.leading_dimension(), beta, c.local().column(j), c.leading_dimension());
    });
  }
  redistribute(Op::none, c, product);
  return product;
}

}  // namespace

template <MatrixElement T>
struct ReferenceCheck<T>::State {
  ProductBounds<T> bounds;
  Matrix<T> reference;
  double tolerance;
};

template <MatrixElement T>
ReferenceCheck<T>::ReferenceCheck(std::type_identity_t<T> alpha,
                                  const std::type_identity_t<Operand<T>>& A,
                                  const std::type_identity_t<Operand<T>>& B,
                                  std::type_identity_t<T> beta, const Matrix<T>& C,
                                  const LocalGemm& gemm)
    : state_(new State{bounds_of<T>(alpha, A, B, beta, C),
                       product_on_one_rank<T>(alpha, A, B, beta, C, gemm),
                       2 * rounding_error<T>(A.n())}) {}

template <MatrixElement T>
Verdict ReferenceCheck<T>::verdict(const Matrix<T>& C) const {
  const auto& [bounds, reference, tolerance] = *state_;
  double worst = 0;
  HostMirror<T> mirror(C);
  const LocalView<T> local = mirror.get().local();
  if (const auto here = C.position()) {
    std::size_t place = 0;
    for (Local<Column> j; j.value < C.local_columns(); ++j) {
      const auto column = C.layout().columns().global(here->column, j).value;
      for (Local<Row> i; i.value < C.local_rows(); ++i, ++place) {
        const auto row = C.layout().rows().global(here->row, i).value;
        const T expected = reference(i, j), value = local(i.value, j.value);
        if (!alike(value, expected, bounds.kind(row, column, place)))
          worst = std::numeric_limits<double>::quiet_NaN();
        if (!is_finite(value) || !is_finite(expected)) continue;
        const Precise<T> wide(expected);
        const long double size = bounds.rows()[static_cast<std::size_t>(row)] *
                                     bounds.columns()[static_cast<std::size_t>(column)] +
                                 std::abs(wide) + bounds.underflow(row) / tolerance;
        worst = worse(worst, relative(std::abs(Precise<T>(value) - wide), size));
      }
    }
  }
  return {worst_of_ranks(C.communicator(), worst), tolerance, bounds.any_special()};
}

template <MatrixElement T>
ReferenceCheck<T>::~ReferenceCheck() = default;
template <MatrixElement T>
ReferenceCheck<T>::ReferenceCheck(ReferenceCheck&&) noexcept = default;
template <MatrixElement T>
ReferenceCheck<T>& ReferenceCheck<T>::operator=(ReferenceCheck&&) noexcept = default;

CUBOID_CLASS_FOR_ELEMENT_TYPES(ReferenceCheck);

}  // namespace cuboid
