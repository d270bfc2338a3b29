#include <cuboid/collectives.hpp>
#include <cuboid/verify.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/random_element.hpp"
#include "mm/verify/product_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace cuboid {

using namespace detail;

namespace {

/// L·(g(k)·u + (√k + √n)·u′) of verify.hpp.
template <MatrixElement T>
double freivalds_tolerance(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double false_alarm = 1e-9;
  const double residuals = static_cast<double>(std::max<std::int64_t>(m, 1)) *
                           static_cast<double>(VectorBlock<Precise<T>>::vectors);
  const double tail = std::sqrt(2 * std::log(2 * residuals / false_alarm));
  const double own_error = (std::sqrt(static_cast<double>(k)) + std::sqrt(static_cast<double>(n))) *
                           unit_roundoff<long double> * (is_complex<T> ? 4 : 1);
  return tail * (rounding_error<T>(k) + own_error);
}

/// Per column, ±1 divided by the column's size; 0 for columns with NaN or infinities.
/// @param least  is added to each size.
template <MatrixElement T>
VectorBlock<Precise<T>> random_signs(const ProductBounds<T>& bounds, long double least,
                                     std::uint64_t seed) {
  VectorBlock<Precise<T>> x(static_cast<std::int64_t>(bounds.columns().size()));
  for (std::int64_t j = 0; j < x.length(); ++j) {
    if (bounds.column_is_special(j)) continue;
    const long double size = bounds.columns()[static_cast<std::size_t>(j)];
    const long double magnitude = size > 0 ? 1 / (size + least) : 1;
    const RandomColumn random(seed, Global<Column>(j));
    for (std::size_t v = 0; v < x[j].size(); ++v) {
      const bool negative = random.at<double>(Global<Row>(static_cast<std::int64_t>(v))) < 0;
      x[j][v] = negative ? -magnitude : magnitude;
    }
  }
  return x;
}

}  // namespace

template <MatrixElement T>
struct FreivaldsCheck<T>::State {
  ProductBounds<T> bounds;
  double tolerance;
  VectorBlock<Precise<T>> x;
  VectorBlock<Precise<T>> expected;
  std::vector<long double> scale;  // by row
};

template <MatrixElement T>
FreivaldsCheck<T>::FreivaldsCheck(std::type_identity_t<T> alpha,
                                  const std::type_identity_t<Operand<T>>& A,
                                  const std::type_identity_t<Operand<T>>& B,
                                  std::type_identity_t<T> beta, const Matrix<T>& C,
                                  std::uint64_t seed) {
  using P = Precise<T>;
  HostMirror<T> left(A.matrix), right(B.matrix), added(C);
  const Operand<T> on_host_a(A.op, left.get()), on_host_b(B.op, right.get());
  const Matrix<T>& on_host_c = added.get();
  ProductBounds<T> known(alpha, on_host_a, on_host_b, beta, on_host_c);
  const double bound = freivalds_tolerance<T>(C.m(), C.n(), A.n());
  // Columns whose elements nearly underflow must not outweigh the others.
  const auto largest = std::ranges::max_element(known.rows());
  const bool none = largest == known.rows().end() || *largest == 0;
  const auto row = largest - known.rows().begin();
  const long double least = none ? 0 : known.underflow(row) / bound / *largest;
  auto signs = random_signs<T>(known, least, seed);
  state_ = std::make_unique<State>(
      State{std::move(known), bound, std::move(signs), VectorBlock<P>(C.m()), {}});
  auto& [bounds, tolerance, x, expected, scale] = *state_;

  const auto add = [&expected = expected](P factor, const VectorBlock<P>& product) {
    for (std::int64_t i = 0; i < expected.length(); ++i) {
      for (std::size_t v = 0; v < expected[i].size(); ++v) {
        expected[i][v] += factor * product[i][v];
      }
    }
  };
  std::vector<long double> weights;
  for (std::int64_t j = 0; j < x.length(); ++j) weights.push_back(std::abs(x[j][0]));
  long double sum_of_weights = 0;
  for (const long double weight : weights) sum_of_weights += weight;
  scale = bounds.rows();
  for (std::size_t i = 0; i < scale.size(); ++i) {
    scale[i] = scale[i] * std::sqrt(static_cast<long double>(C.n())) +
               bounds.underflow(static_cast<std::int64_t>(i)) * sum_of_weights / tolerance;
  }
  if (alpha != T(0)) add(P(alpha), multiply_vectors(on_host_a, multiply_vectors(on_host_b, x)));
  if (beta != T(0)) {
    add(P(beta), multiply_vectors<T>(on_host_c, x));
    const auto norms = row_norms<T>(on_host_c, weights);
    for (std::size_t i = 0; i < scale.size(); ++i) scale[i] += std::abs(P(beta)) * norms[i];
  }
}

template <MatrixElement T>
Verdict FreivaldsCheck<T>::verdict(const Matrix<T>& C) const {
  const auto& [bounds, tolerance, x, expected, scale] = *state_;
  HostMirror<T> mirror(C);
  const Matrix<T>& on_host = mirror.get();
  Flags passed_over = bounds.rows_with_specials();
  const double of_specials = error_of_specials(bounds, on_host, passed_over);
  allreduce(C.communicator(), passed_over, passed_over, Reduction::Kind::maximum);
  Verdict verdict{worst_of_ranks(C.communicator(), of_specials), tolerance, bounds.any_special()};

  const auto product = multiply_vectors<T>(on_host, x);
  for (std::int64_t i = 0; i < product.length(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (passed_over[row] != 0) continue;
    for (std::size_t v = 0; v < product[i].size(); ++v) {
      const long double residual = std::abs(product[i][v] - expected[i][v]);
      verdict.relative_error = worse(verdict.relative_error, relative(residual, scale[row]));
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

CUBOID_CLASS_FOR_ELEMENT_TYPES(FreivaldsCheck);

}  // namespace cuboid
