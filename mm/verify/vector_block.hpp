#pragma once

#include <cuboid/matrix.hpp>

#include "mm/matrix/finite.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace cuboid::detail {

/// The type in which products of a matrix with vectors are summed. It is wider than the elements,
/// so that no product or square of elements overflows or underflows.
template <MatrixElement T>
using Precise = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

/// Several vectors of the same length, interleaved: entry i of all vectors is contiguous, so that
/// one pass over a matrix multiplies all of them. Every rank stores the whole vectors.
template <class P>
class VectorBlock {
 public:
  static constexpr std::size_t vectors = 8;
  using Entry = std::array<P, vectors>;

  /// All entries are zero.
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

/// op(M)·x on every rank, for vectors of as many entries as op(M) has columns. NaN and infinities
/// of M count as 0. Collective over M's communicator.
template <MatrixElement T>
VectorBlock<Precise<T>> multiply_vectors(const Operand<T>& M, const VectorBlock<Precise<T>>& x);

/// The Euclidean norm of each row of op(M), without NaN and infinities, on every rank. Collective
/// over M's communicator.
/// @param weights  factors of op(M)'s columns; all 1 if empty.
template <MatrixElement T>
std::vector<long double> row_norms(const Operand<T>& M, std::span<const long double> weights = {});

/// The unweighted Euclidean norm of each column of op(M).
template <MatrixElement T>
std::vector<long double> column_norms(const Operand<T>& M);

/// Per row or column, true if it contains a NaN or an infinity.
using Flags = std::vector<std::uint8_t>;

/// The flags of op(M)'s rows, on every rank. Collective over M's communicator.
template <MatrixElement T>
Flags special_rows(const Operand<T>& M);

/// The flags of op(M)'s columns, on every rank. Collective over M's communicator.
template <MatrixElement T>
Flags special_columns(const Operand<T>& M);

}  // namespace cuboid::detail
