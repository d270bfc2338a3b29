#pragma once

#include <cuboid/element.hpp>

#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The operator of a linear system whose vectors are distributed over ranks.
template <MatrixElement T>
struct DistributedOperator {
  /// x ← A·x, for this rank's part. Collective.
  std::function<void(std::span<T> x)> apply;
  /// Replaces values by their sums over all ranks. Collective.
  std::function<void(std::span<T> values)> sum;
};

/// The outcome of Gmres::solve().
template <class R>
struct GmresOutcome {
  int iterations = 0;
  R residual = 0;  ///< ‖b − A·x‖₂ / ‖b‖₂ by the recurrence
};

/// The generalised minimal residual method (Saad and Schultz 1986) from x = 0: each iteration adds
/// a vector to an orthonormal basis of the Krylov space, and x minimises ‖b − A·x‖₂ in it. The
/// basis is orthogonalised twice by classical Gram–Schmidt, which needs two sums per iteration.
template <MatrixElement T>
class Gmres {
 public:
  using R = RealOf<T>;

  explicit Gmres(const DistributedOperator<T>& A) : A_(A) {}

  /// Replaces b by x. Ends when the residual is at most `tolerance`, after `most_iterations`, or
  /// when the Krylov space is exhausted. Memory: a vector per iteration. Collective.
  GmresOutcome<R> solve(std::span<T> b, R tolerance, int most_iterations) {
    start(b);
    GmresOutcome<R> outcome;
    if (size_ == R(0)) return outcome;
    outcome.residual = 1;
    while (outcome.iterations < most_iterations && outcome.residual > tolerance) {
      const bool exhausted = !extend();
      ++outcome.iterations;
      outcome.residual = std::abs(rotated_.back()) / size_;
      if (exhausted) break;
    }
    combine(b);
    return outcome;
  }

 private:
  // (a, b) ← (c·a + s·b, −s̄·a + c·b).
  struct GivensRotation {
    R c;
    T s;

    void apply(T& a, T& b) const {
      const T first = T(c) * a + s * b;
      b = T(c) * b - conjugate(s) * a;
      a = first;
    }
  };

  // The rotation that makes b 0.
  static GivensRotation rotation_of(T a, R b) {
    // If both are 0, the operator is singular. The rest of b then stays in the residual.
    if (a == T(0)) return {R(0), T(1)};
    const R size = std::hypot(std::abs(a), b);
    return {std::abs(a) / size, a / T(std::abs(a)) * T(b / size)};
  }

  void start(std::span<const T> b) {
    basis_.clear();
    triangle_.clear();
    rotations_.clear();
    size_ = norm(b);
    rotated_ = {T(size_)};
    if (size_ != R(0)) append(b, size_);
  }

  void append(std::span<const T> vector, R size) {
    auto& added = basis_.emplace_back(vector.begin(), vector.end());
    for (T& element : added) element /= T(size);
  }

  R norm(std::span<const T> vector) const {
    T sum = 0;
    for (const T element : vector) sum += conjugate(element) * element;
    A_.sum(std::span(&sum, 1));
    return std::sqrt(std::abs(sum));
  }

  // vector ← vector − basis·(basisᴴ·vector). Adds basisᴴ·vector to the coefficients.
  void orthogonalise(std::span<T> vector, std::span<T> coefficients) const {
    std::vector<T> products(basis_.size());
    for (std::size_t k = 0; k < basis_.size(); ++k) {
      for (std::size_t i = 0; i < vector.size(); ++i)
        products[k] += conjugate(basis_[k][i]) * vector[i];
    }
    A_.sum(products);
    for (std::size_t k = 0; k < basis_.size(); ++k) {
      coefficients[k] += products[k];
      for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= products[k] * basis_[k][i];
    }
  }

  // Adds a vector to the basis and a column to the triangle. Returns false if the space is
  // exhausted.
  bool extend() {
    std::vector<T> next = basis_.back();
    A_.apply(next);
    const R before = norm(next);
    std::vector<T> column(basis_.size());
    orthogonalise(next, column);
    orthogonalise(next, column);
    const R size = norm(next);
    for (std::size_t k = 0; k < rotations_.size(); ++k)
      rotations_[k].apply(column[k], column[k + 1]);
    rotations_.push_back(rotation_of(column.back(), size));
    T below = T(size);
    rotations_.back().apply(column.back(), below);
    triangle_.push_back(std::move(column));
    rotated_.push_back(T(0));
    rotations_.back().apply(rotated_[rotated_.size() - 2], rotated_.back());
    // If no more is left, it is only rounding.
    if (!(size > std::numeric_limits<R>::epsilon() * before)) return false;
    append(next, size);
    return true;
  }

  // x ← basis·y with triangle·y = the rotated right-hand side.
  void combine(std::span<T> x) const {
    std::vector<T> y(rotated_.begin(), rotated_.end() - 1);
    for (std::size_t k = y.size(); k-- > 0;) {
      // The operator is singular: the coefficient of this vector is unknown.
      y[k] = triangle_[k][k] == T(0) ? T(0) : y[k] / triangle_[k][k];
      for (std::size_t i = 0; i < k; ++i) y[i] -= triangle_[k][i] * y[k];
    }
    std::fill(x.begin(), x.end(), T(0));
    for (std::size_t k = 0; k < y.size(); ++k) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[k] * basis_[k][i];
    }
  }

  const DistributedOperator<T>& A_;
  std::vector<std::vector<T>> basis_;     // orthonormal
  std::vector<std::vector<T>> triangle_;  // column k has k + 1 elements
  std::vector<GivensRotation> rotations_;
  std::vector<T> rotated_;  // ‖b‖·e₁, rotated: its last element is the residual
  R size_ = 0;              // ‖b‖₂
};

}  // namespace cuboid::detail
