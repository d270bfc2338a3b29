#pragma once

#include <cuboid/matrix.hpp>

#include "mm/verify/vector_block.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace cuboid::detail {

template <class R>
constexpr double unit_roundoff = std::numeric_limits<R>::epsilon() / 2;

/// g(k)·u of verify.hpp.
template <MatrixElement T>
double rounding_error(std::int64_t k);

/// The larger error; NaN, once met, stays.
double worse(double error, double other);

/// error / size; 0 if nothing is wrong, also relative to 0.
double relative(long double error, long double size);

/// The largest relative error of all ranks, on all ranks.
double worst_of_ranks(const Communicator& communicator, double error);

/// What an element of a product can be.
enum class ElementKind {
  finite,
  special,  ///< a NaN or an infinity went into it, so it is one
  either,   ///< so large that it, or a part of it, may overflow
};

/// What the operands of C = α·op(A)·op(B) + β·C₀ say about the elements of C. Every rank holds what
/// is by row or column.
template <MatrixElement T>
class ProductBounds {
 public:
  /// Reads A and B, and C₀ unless β = 0. Collective.
  ProductBounds(T alpha, const Operand<T>& A, const Operand<T>& B, T beta, const Matrix<T>& C0);

  /// |α|·‖a_i‖, finite elements only.
  const std::vector<long double>& rows() const { return rows_; }
  /// ‖b_j‖, finite elements only.
  const std::vector<long double>& columns() const { return columns_; }
  /// Whether any element of A, B or C₀, or a factor, is NaN or infinite.
  bool any_special() const { return any_special_; }
  /// By row: whether an element may be special because of A, C₀ or a factor.
  const Flags& rows_with_specials() const { return rows_with_specials_; }
  bool column_is_special(std::int64_t j) const {
    return special_columns_[static_cast<std::size_t>(j)] != 0;
  }
  /// @param i, j  global
  /// @param place  number of the element in this rank's part of C, column by column
  ElementKind kind(std::int64_t i, std::int64_t j, std::size_t place) const;

  /// The largest error of an element of this row that underflow explains.
  long double underflow(std::int64_t i) const;

 private:
  void note_added(T beta, const Matrix<T>& C0);

  std::vector<long double> rows_;
  std::vector<long double> columns_;
  std::vector<long double> added_;  // |β|·‖c⁰_i‖
  Flags special_rows_;
  Flags special_columns_;
  Flags rows_with_specials_;
  std::vector<bool> special_added_;  // by place; empty where none is
  long double unscaled_ = 1;         // max(1, 1/|α|): α comes after the sum
  long double underflow_ = 0;
  bool any_special_ = false;
};

/// Whether each element of C that is to be NaN or infinite is one, and no other: 0, infinity for
/// one that is finite instead, or NaN. Of this rank's part. Marks rows with an element that
/// overflowed where it may.
template <MatrixElement T>
double error_of_specials(const ProductBounds<T>& bounds, const Matrix<T>& C, Flags& overflowed);

}  // namespace cuboid::detail
