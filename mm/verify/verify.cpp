#include <cuboid/allreduce.hpp>
#include <cuboid/redistribute.hpp>
#include <cuboid/verify.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/random_element.hpp"
#include "mm/verify/vector_block.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <tuple>
#include <utility>

namespace cuboid {

using namespace detail;

namespace {

template <class R>
constexpr double unit_roundoff = std::numeric_limits<R>::epsilon() / 2;

/// g(k)·u of verify.hpp.
template <MatrixElement T>
double rounding_error(std::int64_t k) {
  const auto terms = static_cast<double>(k);
  const double growth = std::min(terms, 4 * std::sqrt(terms)) + 4;
  return growth * unit_roundoff<RealOf<T>> * (is_complex<T> ? 4 : 1);
}

/// L·(g(k)·u + (√k + √n)·u′) of verify.hpp.
template <MatrixElement T>
double freivalds_tolerance(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double false_alarm = 1e-9;
  const double residuals = static_cast<double>(std::max<std::int64_t>(m, 1)) *
                           static_cast<double>(VectorBlock<Precise<T>>::vectors);
  const double tail = std::sqrt(2 * std::log(2 * residuals / false_alarm));
  const double own_error = (std::sqrt(static_cast<double>(k)) + std::sqrt(static_cast<double>(n))) *
                           unit_roundoff<double> * (is_complex<T> ? 4 : 1);
  return tail * (rounding_error<T>(k) + own_error);
}

/// ±1 over the size of each column.
template <class P>
VectorBlock<P> random_signs(const std::vector<double>& column_size, std::uint64_t seed) {
  VectorBlock<P> x(static_cast<std::int64_t>(column_size.size()));
  for (std::int64_t j = 0; j < x.length(); ++j) {
    const double size = column_size[static_cast<std::size_t>(j)];
    const double magnitude = size > 0 ? 1 / size : 1;
    const RandomColumn random(seed, Global<Column>(j));
    for (std::size_t v = 0; v < x[j].size(); ++v) {
      const bool negative = random.at<double>(Global<Row>(static_cast<std::int64_t>(v))) < 0;
      x[j][v] = negative ? -magnitude : magnitude;
    }
  }
  return x;
}

/// The larger error; NaN, once met, stays.
double worse(double error, double other) {
  if (std::isnan(error) || std::isnan(other)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(error, other);
}

/// 0 if nothing is wrong, also relative to 0.
double relative(double error, double size) {
  return error == 0 ? 0 : error / size;
}

/// The largest relative error of all ranks, on all ranks.
double worst_of_ranks(const Communicator& communicator, double error) {
  // A maximum need not see a NaN among numbers, so it travels beside them.
  std::array<double, 2> worst{std::isnan(error) ? 0 : error, std::isnan(error) ? 1.0 : 0.0};
  allreduce(communicator, worst, worst, Reduction::Kind::maximum);
  return worst[1] > 0 ? std::numeric_limits<double>::quiet_NaN() : worst[0];
}

/// op(A)'s and op(B)'s sizes as C's errors are measured by: |α|·‖a_i‖ by row, ‖b_j‖ by column.
struct OperandSizes {
  std::vector<double> rows;
  std::vector<double> columns;
};

template <MatrixElement T>
OperandSizes operand_sizes(T alpha, const Operand<T>& A, const Operand<T>& B) {
  if (alpha == T(0)) {
    return {std::vector<double>(static_cast<std::size_t>(A.m()), 0.0),
            std::vector<double>(static_cast<std::size_t>(B.n()), 0.0)};
  }
  OperandSizes sizes{row_norms(A), column_norms(B)};
  const double factor = std::abs(alpha);
  for (double& size : sizes.rows) size *= factor;
  return sizes;
}

}  // namespace

template <MatrixElement T>
struct FreivaldsCheck<T>::State {
  State(std::int64_t m, std::int64_t n, double tolerance)
      : x(n), expected(m), tolerance(tolerance) {}

  VectorBlock<Precise<T>> x;
  VectorBlock<Precise<T>> expected;
  std::vector<double> scale;  // by row
  double tolerance;
};

template <MatrixElement T>
FreivaldsCheck<T>::FreivaldsCheck(std::type_identity_t<T> alpha,
                                  const std::type_identity_t<Operand<T>>& A,
                                  const std::type_identity_t<Operand<T>>& B,
                                  std::type_identity_t<T> beta, const Matrix<T>& C,
                                  std::uint64_t seed)
    : state_(std::make_unique<State>(C.m(), C.n(), freivalds_tolerance<T>(C.m(), C.n(), A.n()))) {
  using P = Precise<T>;
  auto& [x, expected, scale, tolerance] = *state_;
  OperandSizes sizes = operand_sizes(alpha, A, B);
  x = random_signs<P>(sizes.columns, seed);
  scale = std::move(sizes.rows);
  for (double& size : scale) size *= std::sqrt(static_cast<double>(C.n()));

  const auto add = [&expected = expected](P factor, const VectorBlock<P>& product) {
    for (std::int64_t i = 0; i < expected.length(); ++i) {
      for (std::size_t v = 0; v < expected[i].size(); ++v) {
        expected[i][v] += factor * product[i][v];
      }
    }
  };
  if (alpha != T(0)) add(P(alpha), multiply_vectors(A, multiply_vectors(B, x)));
  if (beta != T(0)) {
    add(P(beta), multiply_vectors<T>(C, x));
    std::vector<double> weights;
    for (std::int64_t j = 0; j < x.length(); ++j) weights.push_back(std::abs(x[j][0]));
    const auto norms = row_norms<T>(C, weights);
    for (std::size_t i = 0; i < scale.size(); ++i) scale[i] += std::abs(P(beta)) * norms[i];
  }
}

template <MatrixElement T>
Verdict FreivaldsCheck<T>::verdict(const Matrix<T>& C) const {
  const auto& [x, expected, scale, tolerance] = *state_;
  const auto product = multiply_vectors<T>(C, x);
  Verdict verdict{0, tolerance};
  for (std::int64_t i = 0; i < product.length(); ++i) {
    for (std::size_t v = 0; v < product[i].size(); ++v) {
      const double residual = std::abs(product[i][v] - expected[i][v]);
      verdict.relative_error =
          worse(verdict.relative_error, relative(residual, scale[static_cast<std::size_t>(i)]));
    }
  }
  return verdict;
}

template <MatrixElement T>
FreivaldsCheck<T>::~FreivaldsCheck() = default;
template <MatrixElement T>
FreivaldsCheck<T>::FreivaldsCheck(FreivaldsCheck&&) noexcept = default;
template <MatrixElement T>
FreivaldsCheck<T>& FreivaldsCheck<T>::operator=(FreivaldsCheck&&) noexcept = default;

template <MatrixElement T>
ReferenceCheck<T>::ReferenceCheck(std::type_identity_t<T> alpha,
                                  const std::type_identity_t<Operand<T>>& A,
                                  const std::type_identity_t<Operand<T>>& B,
                                  std::type_identity_t<T> beta, const Matrix<T>& C,
                                  const LocalGemm& gemm)
    : reference_(collective_try(C.communicator(),
                                [&] { return Matrix<T>(C.communicator(), C.layout()); })),
      tolerance_(2 * rounding_error<T>(A.n())) {
  OperandSizes sizes = operand_sizes(alpha, A, B);
  row_size_ = std::move(sizes.rows);
  column_size_ = std::move(sizes.columns);

  const Communicator& communicator = C.communicator();
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
  // In slabs of about a second, and a word to all after each, so that no rank waits for longer than
  // its deadline.
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
  redistribute(Op::none, c, reference_);
}

template <MatrixElement T>
Verdict ReferenceCheck<T>::verdict(const Matrix<T>& C) const {
  double worst = 0;
  if (const auto here = C.position()) {
    for (Local<Column> j; j.value < C.local_columns(); ++j) {
      const auto column = C.layout().columns().global(here->column, j).value;
      for (Local<Row> i; i.value < C.local_rows(); ++i) {
        const auto row = C.layout().rows().global(here->row, i).value;
        const Precise<T> expected(reference_(i, j));
        const double size = row_size_[static_cast<std::size_t>(row)] *
                                column_size_[static_cast<std::size_t>(column)] +
                            std::abs(expected);
        worst = worse(worst, relative(std::abs(Precise<T>(C(i, j)) - expected), size));
      }
    }
  }
  return {worst_of_ranks(C.communicator(), worst), tolerance_};
}

template class FreivaldsCheck<float>;
template class FreivaldsCheck<double>;
template class FreivaldsCheck<std::complex<float>>;
template class FreivaldsCheck<std::complex<double>>;
template class ReferenceCheck<float>;
template class ReferenceCheck<double>;
template class ReferenceCheck<std::complex<float>>;
template class ReferenceCheck<std::complex<double>>;

}  // namespace cuboid
