#pragma once

#include <cuboid/export.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>

namespace cuboid {

// The error bound of a correct product. Element c_ij = α·Σ_l a_il b_lj + β·c⁰_ij is a sum of k
// products. In any order of summation its error is at most about k·u·(|α|·Σ_l |a_il||b_lj| + |β
// c⁰_ij|) (Higham: "Accuracy and Stability of Numerical Algorithms", section 3.5), with u half the
// type's epsilon. Rounding errors of both signs cancel, which leaves √k in place of k. Summands
// that are all alike round to the same side, but a BLAS sums runs of some hundred summands and then
// the runs, which keeps the error within 4·√k, too. With Cauchy and Schwarz for the sum,
//
//   |error of c_ij| <= g(k)·u·(|α|·‖a_i‖·‖b_j‖ + |β c⁰_ij|),   g(k) = min(k, 4·√k) + 4.
//
// For complex numbers the bound is four times as large. Errors below are relative to the bracket.
// So neither a large k nor rows or columns of very different size raise a false alarm or hide a
// wrong element. Underflow adds at most (k + 4)·max(1, |α|) times the type's least positive number.
//
// NaN and infinities. An element of C into which a NaN or an infinity goes, from A's row, B's
// column, C⁰ or a factor, must be NaN or infinite. No other element may be, unless |α|·‖a_i‖·‖b_j‖
// + |β|·‖c⁰_i‖ comes near the type's largest number, where sums may overflow on their way.

/// The result of a check of a product.
struct Verdict {
  /// The largest relative error. NaN if the product has a NaN or an infinity that should not be
  /// there; infinity if 0, or NaN or an infinity, was expected.
  double relative_error = 0;
  /// The largest relative error that rounding explains.
  double tolerance = 0;
  /// True if the operands or factors have NaN or infinities.
  bool special_values = false;

  /// True if rounding explains the error.
  bool holds() const { return relative_error <= tolerance; }
};

/// Freivalds' test of C = α·op(A)·op(B) + β·C (R. Freivalds: "Probabilistic machines can use less
/// running time", 1977): for random vectors x, C·x must be α·op(A)·(op(B)·x) + β·(C⁰·x), which
/// costs some passes over the matrices instead of a product. Constructed before the multiplication,
/// queried after it.
///
/// The entries of x are ±1/‖b_j‖, so each column of C has the same weight. The errors of row i then
/// add up with random signs. By Hoeffding's inequality, the probability that in any row they add up
/// to more than L·‖(e_ij x_j)_j‖, L = √(2 ln(2·m·vectors/δ)), is at most δ = 10⁻⁹. A row's residual
/// is compared with s_i = √n·|α|·‖a_i‖ + |β|·‖(c⁰_ij x_j)_j‖:
///
///   relative error = max over i, x of |residual_i| / s_i,   tolerance = L·(g(k)·u + (√k + √n)·u′).
///
/// u′ is the u of long double, in which the test itself computes. One wrong element is certainly
/// found if it is wrong by more than 2·tolerance·√n·‖a_i‖·‖b_j‖: for random matrices of 4096³ by
/// 3·10⁻⁹ of a typical element in double, by about the size of an element in float. Several wrong
/// elements of a row hide each other with a probability of at most 1/2 per vector. In a row of C
/// into which NaN or infinities of A or C⁰ go, only the places of NaN and infinities are checked.
/// The same holds for the elements of C in the columns where op(B) has NaN or infinities.
template <MatrixElement T>
class CUBOID_API FreivaldsCheck {
 public:
  /// Reads A and B, and C unless β = 0. It keeps none of them, so C may be overwritten afterwards.
  /// Collective. op(A) is m×k, op(B) k×n, C m×n; the shapes are not checked here, since multiply()
  /// checks them.
  /// @param seed  the seed of the random vectors; the same on every rank.
  FreivaldsCheck(std::type_identity_t<T> alpha, const std::type_identity_t<Operand<T>>& A,
                 const std::type_identity_t<Operand<T>>& B, std::type_identity_t<T> beta,
                 const Matrix<T>& C, std::uint64_t seed = 1);

  ~FreivaldsCheck();
  FreivaldsCheck(FreivaldsCheck&&) noexcept;
  FreivaldsCheck& operator=(FreivaldsCheck&&) noexcept;

  /// Tells if C is the product. The same on every rank. Collective.
  Verdict verdict(const Matrix<T>& C) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Compares C = α·op(A)·op(B) + β·C with the same product computed by one process, rank 0, element
/// by element:
///
///   relative error = max over i, j of |c_ij - c′_ij| / (|α|·‖a_i‖·‖b_j‖ + |c′_ij|),   tolerance =
///   2·g(k)·u,
///
/// since both products are rounded. For real types, NaN and infinities must be the same in both
/// products. Constructed before the multiplication, queried after it.
template <MatrixElement T>
class CUBOID_API ReferenceCheck {
 public:
  /// Gathers A, B and, unless β = 0, C on rank 0, multiplies there and keeps the product in C's
  /// layout. Collective. Throws Error(out_of_memory) on every rank if rank 0 lacks memory for the
  /// three matrices or a rank for its share.
  ReferenceCheck(std::type_identity_t<T> alpha, const std::type_identity_t<Operand<T>>& A,
                 const std::type_identity_t<Operand<T>>& B, std::type_identity_t<T> beta,
                 const Matrix<T>& C, const LocalGemm& gemm);

  ~ReferenceCheck();
  ReferenceCheck(ReferenceCheck&&) noexcept;
  ReferenceCheck& operator=(ReferenceCheck&&) noexcept;

  /// Tells if C is the product. C's layout must be the layout of the C given to the constructor.
  /// The same on every rank. Collective.
  Verdict verdict(const Matrix<T>& C) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuboid
