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

/// The larger error; NaN if either is NaN.
double worse(double error, double other);

/// error / size; 0 if the error is 0, even if the size is 0.
double relative(long double error, long double size);

/// The largest relative error over all ranks, returned on every rank.
double worst_of_ranks(const Communicator& communicator, double error);

/// The kinds of values that an element of a product may have.
enum class ElementKind {
  finite,
  special,  ///< must be NaN or infinite, because a NaN or an infinity contributes to it
  either,   ///< may overflow, or one of its terms may
};

/// Bounds on the elements of C = α·op(A)·op(B) + β·C₀, computed from the operands. Every rank
/// stores the values that are listed by row or by column.
template <MatrixElement T>
class ProductBounds {
 public:
  /// Reads A and B, and C₀ unless β = 0. Collective.
  ProductBounds(T alpha, const Operand<T>& A, const Operand<T>& B, T beta, const Matrix<T>& C0);

  /// |α|·‖a_i‖, finite elements only.
  const std::vector<long double>& rows() const { return rows_; }
  /// ‖b_j‖, finite elements only.
  const std::vector<long double>& columns() const { return columns_; }
  /// True if an element of A, B or C₀, or a factor, is NaN or infinite.
  bool any_special() const { return any_special_; }
  /// Per row, true if an element may be special because of A, C₀ or a factor.
  const Flags& rows_with_specials() const { return rows_with_specials_; }
  bool column_is_special(std::int64_t j) const {
    return special_columns_[static_cast<std::size_t>(j)] != 0;
  }
  /// @param i, j  global indices
  /// @param place  the element's index in this rank's part of C, in column-major order
  ElementKind kind(std::int64_t i, std::int64_t j, std::size_t place) const;

  /// The largest error of an element of this row that underflow can cause.
  long double underflow(std::int64_t i) const;

 private:
  void note_added(T beta, const Matrix<T>& C0);

  std::vector<long double> rows_;
  std::vector<long double> columns_;
  std::vector<long double> added_;  // |β|·‖c⁰_i‖
  Flags special_rows_;
  Flags special_columns_;
  Flags rows_with_specials_;
  std::vector<bool> special_added_;  // by place; empty if no element is special
  long double unscaled_ = 1;  // max(1, 1/|α|): the sum is formed before it is multiplied by α
  long double underflow_ = 0;
  bool any_special_ = false;
};

/// Checks on this rank's part of C that exactly the elements that must be NaN or infinite are so.
/// Returns 0 if they are, infinity if an element is wrongly finite, NaN if one is wrongly NaN or
/// infinite. Marks rows with an element that overflowed where overflow is possible.
template <MatrixElement T>
double error_of_specials(const ProductBounds<T>& bounds, const Matrix<T>& C, Flags& overflowed);

}  // namespace cuboid::detail
