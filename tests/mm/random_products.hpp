#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>

#include "mm/drivers/multiplication.hpp"
#include "tests/mm/product_reference.hpp"
#include "tests/mm/random_case.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail::test {

/// The numbers of ranks on which every multiplication is tested. The sanitizers' runs leave out the
/// largest, which take most of the time and run the same lines.
#ifdef CUBOID_SANITIZED
inline const auto rank_counts = testing::Values(1, 2, 3, 4, 5, 6, 7, 8);
#else
inline const auto rank_counts = testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17);
#endif

/// Any sizes and factors.
template <MatrixElement T>
Product<T> any_product(CaseSource& draw, Op op_a, Op op_b) {
  const std::vector<std::int64_t> sizes{0, 1, 2, 3, 7, 16, 33, 100, 257};
  const std::vector<T> factors{T(0), T(1), T(1), T(-1), T(0.375)};
  Product<T> product{draw.one_of(sizes),   draw.one_of(sizes),  draw.one_of(sizes), op_a, op_b,
                     draw.one_of(factors), draw.one_of(factors)};
  if constexpr (is_complex<T>) {
    product.alpha *= T(0.5, -1);
    product.beta *= T(-0.25, 2);
  }
  return product;
}

/// A layout for a matrix X of which op(X) is wanted in another one: as it is wanted, or any.
inline Layout stored_layout(CaseSource& draw, Op op, const Layout& wanted, int ranks) {
  if (draw.between(0, 1) == 0) return op == Op::none ? wanted : wanted.transposed();
  const GridShape grid = draw.grid(ranks);
  return op == Op::none ? draw.layout(wanted.m(), wanted.n(), grid)
                        : draw.layout(wanted.n(), wanted.m(), grid);
}

/// Fills C as a product with this β wants it: with what must not be read where β = 0.
template <MatrixElement T>
void fill_result(Matrix<T>& C, T beta) {
  if (beta == T(0)) {
    C.fill([](auto, auto) { return T(std::numeric_limits<RealOf<T>>::quiet_NaN()); });
  } else {
    C.fill_random(seed_c);
  }
}

/// That C is the product of the random matrices A and B, and that nobody wrote beside it.
template <MatrixElement T>
void expect_right(const Product<T>& product, const Matrix<T>& A, const Matrix<T>& B,
                  const Matrix<T>& C, const std::string& how) {
  const auto& [m, n, k, op_a, op_b, alpha, beta] = product;
  EXPECT_EQ(wrong_elements(product, C), 0)
      << how << ", " << element_name<T>() << ", m " << m << ", n " << n << ", k " << k << ", A "
      << to_string(A.layout()) << " " << to_string(op_a) << ", B " << to_string(B.layout()) << " "
      << to_string(op_b) << ", C " << to_string(C.layout()) << ", alpha " << alpha << ", beta "
      << beta << ", rank " << C.communicator().rank() << " of " << C.communicator().size();
  EXPECT_TRUE(padding_untouched(C)) << how << ", " << to_string(C.layout());
}

/// That a multiplication is right, and again when it is run again.
template <MatrixElement T>
void expect_right_again_and_again(Multiplication<T>& multiplication, const Product<T>& product,
                                  const Matrix<T>& A, const Matrix<T>& B, Matrix<T>& C,
                                  const LocalGemm& gemm, const std::string& how) {
  for (int run = 0; run < 2; ++run) {
    fill_result(C, product.beta);
    multiplication.run(product.alpha, A, B, product.beta, C, gemm);
    expect_right(product, A, B, C, how);
  }
}

/// Calls multiply<T>(communicator, gemm, draw, op, op) for every type T and pair of ops.
template <class Multiply>
void for_every_type_and_op(const Communicator& communicator, std::uint32_t seed,
                           const Multiply& multiply) {
  const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
  CaseSource draw(static_cast<std::uint32_t>(communicator.size()) + seed);
  for (const Op op_a : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    for (const Op op_b : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      multiply.template operator()<float>(communicator, gemm, draw, op_a, op_b);
      multiply.template operator()<double>(communicator, gemm, draw, op_a, op_b);
      multiply.template operator()<std::complex<float>>(communicator, gemm, draw, op_a, op_b);
      multiply.template operator()<std::complex<double>>(communicator, gemm, draw, op_a, op_b);
    }
  }
}
/// The same on threads.
template <class Multiply>
void for_every_type_and_op(int ranks, std::uint32_t seed, const Multiply& multiply) {
  run_ranks(ranks, [&](Communicator& communicator) {
    for_every_type_and_op(communicator, seed, multiply);
  });
}

}  // namespace cuboid::detail::test
