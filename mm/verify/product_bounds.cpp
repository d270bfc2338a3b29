#include "mm/verify/product_bounds.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

namespace cuboid::detail {

namespace {

bool any(const Flags& flags) {
  return std::ranges::any_of(flags, [](std::uint8_t flag) { return flag != 0; });
}

}  // namespace

template <MatrixElement T>
double rounding_error(std::int64_t k) {
  const auto terms = static_cast<double>(k);
  const double growth = std::min(terms, 4 * std::sqrt(terms)) + 4;
  return growth * unit_roundoff<RealOf<T>> * (is_complex<T> ? 4 : 1);
}

double worse(double error, double other) {
  if (std::isnan(error) || std::isnan(other)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(error, other);
}

double relative(long double error, long double size) {
  return error == 0 ? 0 : static_cast<double>(error / size);
}

double worst_of_ranks(const Communicator& communicator, double error) {
  // A maximum may ignore a NaN among numbers, so a flag for NaN is reduced with it.
  std::array<double, 2> worst{std::isnan(error) ? 0 : error, std::isnan(error) ? 1.0 : 0.0};
  allreduce(communicator, worst, worst, Reduction::Kind::maximum);
  return worst[1] > 0 ? std::numeric_limits<double>::quiet_NaN() : worst[0];
}

template <MatrixElement T>
ProductBounds<T>::ProductBounds(T alpha, const Operand<T>& A, const Operand<T>& B, T beta,
                                const Matrix<T>& C0)
    : rows_(static_cast<std::size_t>(C0.m())),
      columns_(static_cast<std::size_t>(C0.n())),
      added_(rows_.size()),
      special_rows_(rows_.size()),
      special_columns_(columns_.size()),
      rows_with_specials_(rows_.size()) {
  const auto factor = static_cast<long double>(std::abs(alpha));
  if (alpha != T(0) && A.n() > 0) {
    rows_ = row_norms(A);
    columns_ = column_norms(B);
    special_rows_ = special_rows(A);
    special_columns_ = special_columns(B);
    if (!is_finite(alpha)) std::ranges::fill(special_rows_, std::uint8_t{1});
    if (is_finite(alpha)) {
      for (long double& size : rows_) size *= factor;
      unscaled_ = std::max(1.0L, 1 / factor);
    }
  }
  if (beta != T(0)) note_added(beta, C0);
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_with_specials_[i] |= special_rows_[i];
  any_special_ = any(rows_with_specials_) || any(special_columns_);
  constexpr long double least = std::numeric_limits<RealOf<T>>::denorm_min();
  underflow_ = (is_complex<T> ? 4 : 1) * static_cast<long double>(A.n() + 4) * least *
               (is_finite(alpha) ? std::max(1.0L, factor) : 1);
}

template <MatrixElement T>
void ProductBounds<T>::note_added(T beta, const Matrix<T>& C0) {
  if (!is_finite(beta)) {
    std::ranges::fill(special_rows_, std::uint8_t{1});
    return;
  }
  added_ = row_norms<T>(C0);
  for (long double& size : added_) size *= std::abs(Precise<T>(beta));
  rows_with_specials_ = special_rows<T>(C0);
  const auto columns = static_cast<std::size_t>(C0.local_columns());
  const auto rows = static_cast<std::size_t>(C0.local_rows());
  for (std::size_t place = 0; place < rows * columns; ++place) {
    const T value = C0.local().column(static_cast<std::int64_t>(place / rows))[place % rows];
    if (is_finite(value)) continue;
    special_added_.resize(rows * columns);
    special_added_[place] = true;
  }
}

template <MatrixElement T>
ElementKind ProductBounds<T>::kind(std::int64_t i, std::int64_t j, std::size_t place) const {
  const auto row = static_cast<std::size_t>(i);
  const auto column = static_cast<std::size_t>(j);
  if (special_rows_[row] != 0 || special_columns_[column] != 0) return ElementKind::special;
  if (!special_added_.empty() && special_added_[place]) return ElementKind::special;
  constexpr long double large = std::numeric_limits<RealOf<T>>::max() / 4;
  const long double size = rows_[row] * unscaled_ * columns_[column] + added_[row];
  return size > large ? ElementKind::either : ElementKind::finite;
}

template <MatrixElement T>
long double ProductBounds<T>::underflow(std::int64_t i) const {
  const auto row = static_cast<std::size_t>(i);
  return rows_[row] > 0 || added_[row] > 0 ? underflow_ : 0;
}

template <MatrixElement T>
double error_of_specials(const ProductBounds<T>& bounds, const Matrix<T>& C, Flags& overflowed) {
  const auto here = C.position();
  if (!here) return 0;
  double worst = 0;
  std::size_t place = 0;
  for (Local<Column> j; j.value < C.local_columns(); ++j) {
    const auto column = C.layout().columns().global(here->column, j).value;
    for (Local<Row> i; i.value < C.local_rows(); ++i, ++place) {
      const auto row = C.layout().rows().global(here->row, i).value;
      const bool finite = is_finite(C(i, j));
      switch (bounds.kind(row, column, place)) {
        case ElementKind::finite:
          if (!finite) worst = std::numeric_limits<double>::quiet_NaN();
          break;
        case ElementKind::special:
          if (finite) worst = worse(worst, std::numeric_limits<double>::infinity());
          break;
        case ElementKind::either:
          if (!finite) overflowed[static_cast<std::size_t>(row)] = 1;
          break;
      }
    }
  }
  return worst;
}

#define CUBOID_INSTANTIATE(T)                      \
  template double rounding_error<T>(std::int64_t); \
  template class ProductBounds<T>;                 \
  template double error_of_specials(const ProductBounds<T>&, const Matrix<T>&, Flags&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
