#pragma once

#include <cuboid/matrix.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace cuboid::detail {

/// What products of a matrix with vectors are summed in: double, or complex double.
template <MatrixElement T>
using Precise = std::conditional_t<is_complex<T>, std::complex<double>, double>;

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
  P* data() { return entries_.empty() ? nullptr : entries_.front().data(); }
  std::size_t values() const { return entries_.size() * vectors; }

 private:
  std::vector<Entry> entries_;
};

/// op(M)·x for vectors as long as op(M) has columns, on every rank. Collective over M's
/// communicator.
template <MatrixElement T>
VectorBlock<Precise<T>> multiply_vectors(const Operand<T>& M, const VectorBlock<Precise<T>>& x);

/// The Euclidean norm of each row of op(M), on every rank. Collective over M's communicator.
/// @param weights  factors of the columns of op(M); empty: all 1.
template <MatrixElement T>
std::vector<double> row_norms(const Operand<T>& M, std::span<const double> weights = {});

/// The same of each column of op(M), not weighted.
template <MatrixElement T>
std::vector<double> column_norms(const Operand<T>& M);

}  // namespace cuboid::detail
