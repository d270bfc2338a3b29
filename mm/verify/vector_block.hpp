#pragma once

#include <cuboid/matrix.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace cuboid::detail {

/// What products of a matrix with vectors are summed in: wider than the elements, so that no
/// product or square of them overflows or underflows.
template <MatrixElement T>
using Precise = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

/// Several vectors of the same length side by side: entry i of all of them lies together, so that
/// one pass over a matrix multiplies all. Every rank holds them whole.
template <class P>
class VectorBlock {
 public:
  static constexpr std::size_t vectors = 8;
  using Entry = std::array<P, vectors>;

  /// Zeros.
  explicit VectorBlock(std::int64_t length) : entries_(static_cast<std::size_t>(length), Entry{}) {}

  std::int64_t length() const { return static_cast<std::int64_t>(entries_.size()); }
  Entry& operator[](std::int64_t i) { return entries_[static_cast<std::size_t>(i)]; }
  const Entry& operator[](std::int64_t i) const { return entries_[static_cast<std::size_t>(i)]; }
  /// All parts of all entries.
  std::span<long double> parts() {
    constexpr std::size_t parts_of_entry = vectors * sizeof(P) / sizeof(long double);
    return {reinterpret_cast<long double*>(entries_.data()), entries_.size() * parts_of_entry};
  }

 private:
  std::vector<Entry> entries_;
};

/// op(M)·x for vectors as long as op(M) has columns, on every rank. NaN and infinities of M count
/// as 0. Collective over M's communicator.
template <MatrixElement T>
VectorBlock<Precise<T>> multiply_vectors(const Operand<T>& M, const VectorBlock<Precise<T>>& x);

/// The Euclidean norm of each row of op(M), on every rank, without NaN and infinities. Collective
/// over M's communicator.
/// @param weights  factors of the columns of op(M); empty: all 1.
template <MatrixElement T>
std::vector<long double> row_norms(const Operand<T>& M, std::span<const long double> weights = {});

/// The same of each column of op(M), not weighted.
template <MatrixElement T>
std::vector<long double> column_norms(const Operand<T>& M);

/// By row or column, whether it holds a NaN or an infinity.
using Flags = std::vector<std::uint8_t>;

/// Of each row of op(M), on every rank. Collective over M's communicator.
template <MatrixElement T>
Flags special_rows(const Operand<T>& M);

/// Of each column of op(M).
template <MatrixElement T>
Flags special_columns(const Operand<T>& M);

/// Neither NaN nor infinite.
template <MatrixElement T>
bool is_finite(T value) {
  if constexpr (is_complex<T>) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  } else {
    return std::isfinite(value);
  }
}

}  // namespace cuboid::detail
