#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/op.hpp>

#include <cstdint>

namespace cuboid {

/// The extents of C = op(A)·op(B): op(A) is m×k, op(B) k×n, C m×n.
struct ProductSize {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool operator==(const ProductSize&) const = default;
};

/// The layouts of A, B and C in C = op(A)·op(B), and the operations.
struct ProductLayouts {
  Layout A;
  Op op_a = Op::none;
  Layout B;
  Op op_b = Op::none;
  Layout C;

  ProductSize size() const { return {C.m(), C.n(), op_a == Op::none ? A.n() : A.m()}; }
};

/// The layout of op(X) in which every rank owns the same elements as of X.
inline Layout applied(Op op, const Layout& stored) {
  return op == Op::none ? stored : stored.transposed();
}

}  // namespace cuboid
