// Products with a symmetric, Hermitian or triangular matrix on ranks that are threads, against
// products written out.

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/triangular_products.hpp>

#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/whole_matrix.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

template <class T>
class TriangularProductsTest : public testing::Test {
 protected:
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(TriangularProductsTest, Types);

template <MatrixElement T>
WholeMatrix<T> applied(Op op, const WholeMatrix<T>& A) {
  if (op == Op::none) return A;
  return WholeMatrix<T>::made(A.n, A.m, [&](std::int64_t i, std::int64_t j) {
    return op == Op::transpose ? A(j, i) : conjugate(A(j, i));
  });
}

template <MatrixElement T>
WholeMatrix<T> product(const WholeMatrix<T>& A, const WholeMatrix<T>& B) {
  return WholeMatrix<T>::made(A.m, B.n, [&](std::int64_t i, std::int64_t j) {
    T sum{};
    for (std::int64_t k = 0; k < A.n; ++k) sum += A(i, k) * B(k, j);
    return sum;
  });
}

/// α·A + β·B.
template <MatrixElement T>
WholeMatrix<T> sum(T alpha, const WholeMatrix<T>& A, T beta, const WholeMatrix<T>& B) {
  return WholeMatrix<T>::made(A.m, A.n, [&](std::int64_t i, std::int64_t j) {
    return alpha * A(i, j) + (beta == T(0) ? T(0) : beta * B(i, j));
  });
}

bool is_in(Triangle triangle, std::int64_t i, std::int64_t j) {
  return triangle == Triangle::lower ? i >= j : i <= j;
}

/// A's triangle, and what `other` says elsewhere.
template <MatrixElement T>
WholeMatrix<T> with_other(Triangle triangle, const WholeMatrix<T>& A,
                          const std::function<T(std::int64_t, std::int64_t)>& other) {
  return WholeMatrix<T>::made(A.m, A.n, [&](std::int64_t i, std::int64_t j) {
    return is_in(triangle, i, j) ? A(i, j) : other(i, j);
  });
}

template <MatrixElement T>
WholeMatrix<T> with_nan(Triangle triangle, const WholeMatrix<T>& A) {
  return with_other<T>(triangle, A, [](std::int64_t, std::int64_t) {
    return T(std::numeric_limits<RealOf<T>>::quiet_NaN());
  });
}

template <MatrixElement T>
void expect_near(const Matrix<T>& got, const WholeMatrix<T>& wanted, std::int64_t k,
                 const char* what) {
  const WholeMatrix<T> whole = WholeMatrix<T>::gathered(got);
  const double allowed = 20 * static_cast<double>(k + 4) * epsilon_of<T>() * (1 + wanted.largest());
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    const double off = std::abs(whole.values[i] - wanted.values[i]);
    require(off <= allowed, "{}, {} ranks: element {} is off by {}", what,
            got.communicator().size(), i, off);
  }
}

template <MatrixElement T>
T factor(double real, double imaginary) {
  if constexpr (is_complex<T>) {
    return T(static_cast<RealOf<T>>(real), static_cast<RealOf<T>>(imaginary));
  } else {
    return static_cast<T>(real);
  }
}

constexpr std::array<std::array<std::int64_t, 2>, 4> extents = {{{0, 3}, {1, 1}, {6, 0}, {13, 7}}};

/// C's layout differs from the others'.
Layout layout_of_c(std::int64_t n, const Communicator& communicator) {
  return Layout::block_cyclic(n, n, 4, 4, choose_grid(communicator.size()));
}

template <MatrixElement T>
void check_updates(const Communicator& communicator, std::int64_t n, std::int64_t k,
                   Triangle triangle, bool hermitian, const LocalGemm& gemm) {
  const T alpha = factor<T>(2, -1), beta = factor<T>(0.5, 1);
  const auto A = WholeMatrix<T>::random(n, k, 1), B = WholeMatrix<T>::random(n, k, 2);
  const auto C = WholeMatrix<T>::random(n, n, 3);
  const Op mirror = hermitian ? Op::conjugate_transpose : Op::transpose;
  const T a = hermitian ? T(std::real(alpha)) : alpha, b = hermitian ? T(std::real(beta)) : beta;
  const auto kept = [&](std::int64_t i, std::int64_t j) { return C(i, j); };
  const auto real_diagonal = [&](WholeMatrix<T> whole) {
    for (std::int64_t i = 0; hermitian && i < n; ++i) whole(i, i) = T(std::real(whole(i, i)));
    return whole;
  };
  const auto once =
      with_other<T>(triangle, real_diagonal(sum(a, product(A, applied(mirror, A)), b, C)), kept);
  const auto twice = with_other<T>(
      triangle,
      real_diagonal(sum(T(1),
                        sum(alpha, product(A, applied(mirror, B)),
                            hermitian ? conjugate(alpha) : alpha, product(B, applied(mirror, A))),
                        b, C)),
      kept);
  const GridShape grid = choose_grid(communicator.size());
  for (const Op op : {Op::none, mirror}) {
    const auto a_given = applied(op, A), b_given = applied(op, B);
    const Layout layout = Layout::block(a_given.m, a_given.n, grid);
    const Matrix<T> left = a_given.spread(communicator, layout);
    const Matrix<T> right = b_given.spread(communicator, layout);
    Matrix<T> one = C.spread(communicator, layout_of_c(n, communicator));
    Matrix<T> two = C.spread(communicator, layout_of_c(n, communicator));
    if (hermitian) {
      herk<T>(triangle, op, std::real(alpha), left, std::real(beta), one, gemm);
      her2k<T>(triangle, op, alpha, left, right, std::real(beta), two, gemm);
    } else {
      syrk<T>(triangle, op, alpha, left, beta, one, gemm);
      syr2k<T>(triangle, op, alpha, left, right, beta, two, gemm);
    }
    expect_near(one, once, k, hermitian ? "herk" : "syrk");
    expect_near(two, twice, 2 * k, hermitian ? "her2k" : "syr2k");
  }
}

TYPED_TEST(TriangularProductsTest, UpdatesOneTriangle) {
  on_worlds(
      [&](Communicator& communicator) {
        for (const auto& [n, k] : extents) {
          for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
            for (const bool hermitian : {false, true})
              check_updates<TypeParam>(communicator, n, k, triangle, hermitian, this->gemm);
          }
        }
      },
      {1, 6});
}

template <MatrixElement T>
void check_products(const Communicator& communicator, std::int64_t n, std::int64_t columns,
                    MatrixSide side, Triangle triangle, const LocalGemm& gemm) {
  const T alpha = factor<T>(2, -1), beta = factor<T>(0.5, 1);
  const auto X = WholeMatrix<T>::random(n, n, 1);
  const bool left = side == MatrixSide::left;
  const auto B = WholeMatrix<T>::random(left ? n : columns, left ? columns : n, 2);
  const auto C = WholeMatrix<T>::random(B.m, B.n, 3);
  const auto by_side = [&](const WholeMatrix<T>& A) {
    return left ? product(A, B) : product(B, A);
  };
  const auto symmetric =
      with_other<T>(triangle, X, [&](std::int64_t i, std::int64_t j) { return X(j, i); });
  auto hermitian = with_other<T>(
      triangle, X, [&](std::int64_t i, std::int64_t j) { return conjugate(X(j, i)); });
  for (std::int64_t i = 0; i < n; ++i) hermitian(i, i) = T(std::real(X(i, i)));
  auto unit = with_other<T>(triangle, X, [](std::int64_t, std::int64_t) { return T(0); });
  const auto stored = unit;
  for (std::int64_t i = 0; i < n; ++i) unit(i, i) = T(1);
  const Matrix<T> A = with_nan(triangle, X).spread(communicator, layout_of_c(n, communicator));
  const Layout layout = Layout::block(B.m, B.n, choose_grid(communicator.size()));
  const Matrix<T> b = B.spread(communicator, layout);
  Matrix<T> c = C.spread(communicator, layout), d = C.spread(communicator, layout);
  symm<T>(side, triangle, alpha, A, b, beta, c, gemm);
  expect_near(c, sum(alpha, by_side(symmetric), beta, C), n, "symm");
  hemm<T>(side, triangle, alpha, A, b, beta, d, gemm);
  expect_near(d, sum(alpha, by_side(hermitian), beta, C), n, "hemm");
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const bool of_ones = (op == Op::transpose) == left;
    Matrix<T> x = B.spread(communicator, layout);
    trmm<T>(side, triangle, op, of_ones ? Diagonal::unit : Diagonal::stored, alpha, A, x, gemm);
    const auto& whole = of_ones ? unit : stored;
    expect_near(x, sum(alpha, by_side(applied(op, whole)), T(0), B), n, "trmm");
  }
}

TYPED_TEST(TriangularProductsTest, MultipliesByASymmetricOrTriangularMatrix) {
  on_worlds(
      [&](Communicator& communicator) {
        for (const auto& [n, columns] : extents) {
          for (const MatrixSide side : {MatrixSide::left, MatrixSide::right}) {
            for (const Triangle triangle : {Triangle::lower, Triangle::upper})
              check_products<TypeParam>(communicator, n, columns, side, triangle, this->gemm);
          }
        }
      },
      {1, 6});
}

// Triangles so large that they are cut.
TEST(TriangularProducts, AreTheSameInBlocks) {
  using T = double;
  constexpr std::int64_t n = 1100, k = 5;
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  const auto A = WholeMatrix<T>::random(n, k, 1);
  const auto L = WholeMatrix<T>::random(n, n, 2);
  const auto square = product(A, applied(Op::transpose, A));
  on_worlds(
      [&](Communicator& communicator) {
        const GridShape grid = choose_grid(communicator.size());
        const Matrix<T> a = A.spread(communicator, Layout::block(n, k, grid));
        for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
          Matrix<T> C = WholeMatrix<T>(n, n).spread(communicator, layout_of_c(n, communicator));
          syrk(triangle, Op::none, 1.0, a, 0.0, C, gemm);
          expect_near(C, with_other<T>(triangle, square, [](auto, auto) { return 0.0; }), k,
                      "syrk");
          const auto whole = with_other<T>(triangle, L, [](auto, auto) { return 0.0; });
          const Matrix<T> l =
              with_nan(triangle, L).spread(communicator, layout_of_c(n, communicator));
          for (const Op op : {Op::none, Op::transpose}) {
            Matrix<T> X = A.spread(communicator, Layout::block(n, k, grid));
            trmm(MatrixSide::left, triangle, op, Diagonal::stored, 1.0, l, X, gemm);
            expect_near(X, product(applied(op, whole), A), n, "trmm");
          }
        }
      },
      {1, 8});
}

TEST(TriangularProducts, RefuseWhatMakesNoSense) {
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  using Complex = std::complex<double>;
  run_ranks(4, [&](Communicator& communicator) {
    const GridShape grid(2, 2);
    Matrix<double> A(communicator, Layout::block(10, 6, grid));
    Matrix<double> C(communicator, Layout::block(10, 10, grid));
    Matrix<double> small(communicator, Layout::block(9, 9, grid));
    Matrix<Complex> Z(communicator, Layout::block(10, 10, grid));
    Matrix<Complex> W(communicator, Layout::block(10, 10, grid));
    const auto refused = [](const std::function<void()>& call,
                            std::initializer_list<std::string> parts) {
      require_error(call, ErrorCode::invalid_argument, parts);
    };
    refused([&] { syrk(Triangle::lower, Op::none, 1.0, A, 0.0, small, gemm); },
            {"syrk", "10x6", "9x9"});
    refused([&] { syrk(Triangle::lower, Op::transpose, 1.0, A, 0.0, C, gemm); }, {"syrk"});
    refused([&] { syrk(Triangle::lower, Op::none, 1.0, C, 0.0, C, gemm); }, {"shares memory"});
    refused([&] { syr2k(Triangle::lower, Op::none, 1.0, C, A, 0.0, C, gemm); }, {"syr2k"});
    refused([&] { syrk<Complex>(Triangle::lower, Op::conjugate_transpose, 1.0, Z, 0.0, W, gemm); },
            {"syrk", "give none or"});
    refused([&] { herk<Complex>(Triangle::lower, Op::transpose, 1.0, Z, 0.0, W, gemm); },
            {"herk", "give none or"});
    refused([&] { symm(MatrixSide::left, Triangle::lower, 1.0, small, A, 0.0, A, gemm); },
            {"symm", "9x9", "10x6"});
    refused(
        [&] {
          trmm(MatrixSide::right, Triangle::lower, Op::none, Diagonal::unit, 1.0, C, A, gemm);
        },
        {"trmm", "columns"});
  });
}

}  // namespace
}  // namespace cuboid::detail
