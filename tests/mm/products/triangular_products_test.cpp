// Products with a symmetric, Hermitian or triangular matrix on ranks that are threads, against
// products written out.

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/triangular_products.hpp>

#include "mm/drivers/summa/summa.hpp"
#include "mm/products/rank_update.hpp"
#include "mm/triangles/triangle_blocks.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/every_element_type.hpp"
#include "tests/mm/whole_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace triangular_products_test {

template <class T>
class TriangularProductsTest : public testing::Test {
 protected:
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
};
TYPED_TEST_SUITE(TriangularProductsTest, EveryElementType);

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

// One pass does what products of blocks do, for factors and results in any layouts, and does not
// touch the other triangle.
template <MatrixElement T>
void check_pass(const Communicator& communicator, std::int64_t n, std::int64_t k, bool hermitian,
                const LocalGemm& gemm) {
  const Op mirror = hermitian ? Op::conjugate_transpose : Op::transpose;
  const T alpha = factor<T>(2, hermitian ? 0 : -1), beta = factor<T>(0.5, 0);
  const GridShape grid = choose_grid(communicator.size());
  const auto A = WholeMatrix<T>::random(n, k, 1), B = WholeMatrix<T>::random(n, k, 2);
  const auto C = WholeMatrix<T>::random(n, n, 3);
  const T other_alpha = hermitian ? conjugate(alpha) : alpha;
  const auto once = sum(alpha, product(A, applied(mirror, A)), beta, C);
  const auto twice = sum(
      T(1), sum(alpha, product(A, applied(mirror, B)), other_alpha, product(B, applied(mirror, A))),
      beta, C);
  const auto wanted = [&](Triangle triangle, const WholeMatrix<T>& full) {
    auto result =
        with_other<T>(triangle, full, [&](std::int64_t i, std::int64_t j) { return C(i, j); });
    for (std::int64_t i = 0; hermitian && i < n; ++i) result(i, i) = T(std::real(result(i, i)));
    return result;
  };
  for (const Layout& layout :
       {Layout::block(n, n, grid), Layout::block_cyclic(n, n, 2, 2, grid),
        Layout::block_cyclic(n, n, 3, 5, GridShape(1, communicator.size()))}) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      for (const Op op : {Op::none, mirror}) {
        const auto stored = [&](const WholeMatrix<T>& factor) {
          const WholeMatrix<T> whole = applied(op, factor);
          return whole.spread(communicator, Layout::block(whole.m, whole.n, grid));
        };
        const Matrix<T> a = stored(A), b = stored(B);
        Matrix<T> one = C.spread(communicator, layout), two = C.spread(communicator, layout);
        const auto pass = [&](const Matrix<T>* second, Matrix<T>& result) {
          RankUpdate<T> update(triangle, op, mirror, alpha, a, second, beta, result);
          update.prepare_pass(grid, 7);
          update.run({gemm, {}, nullptr, nullptr});
        };
        pass(nullptr, one);
        pass(&b, two);
        expect_near(one, wanted(triangle, once), k, "one factor");
        expect_near(two, wanted(triangle, twice), 2 * k, "two factors");
      }
    }
  }
}

TYPED_TEST(TriangularProductsTest, UpdatesATriangleInOnePass) {
  on_worlds(
      [&](Communicator& communicator) {
        for (const auto& [n, k] : {std::pair{1, 1}, {5, 20}, {33, 9}, {150, 4}}) {
          for (const bool hermitian : {false, true})
            check_pass<TypeParam>(communicator, n, k, hermitian, this->gemm);
        }
      },
      {1, 3, 6});
}

// The ranks receive what they receive for the whole product, not more, though products of blocks
// would need twice that.
TEST(TriangularProducts, OnePassReceivesWhatTheWholeProductReceives) {
  constexpr std::int64_t n = 640, k = 640, block = 32;
  const LocalGemm gemm = LocalGemm::open(Environment::read(), 1);
  on_worlds(
      [&](Communicator& communicator) {
        const GridShape grid(2, 2);
        const Layout of_a = Layout::block_cyclic(n, k, block, block, grid);
        const Matrix<double> A = WholeMatrix<double>::random(n, k, 1).spread(communicator, of_a);
        const Layout of_c = Layout::block_cyclic(n, n, block, block, grid);
        Matrix<double> C = WholeMatrix<double>(n, n).spread(communicator, of_c);
        const auto received_by = [&](const std::function<void()>& run) {
          const std::uint64_t before = communicator.traffic().bytes_received;
          run();
          return communicator.traffic().bytes_received - before;
        };
        SummaMultiplication<double> whole(communicator, grid,
                                          {of_a, Op::none, of_a, Op::transpose, of_c}, block);
        const auto by_gemm = received_by([&] { whole.run(1, A, A, 0, C, gemm); });
        const auto by_pass = received_by([&] {
          RankUpdate<double> pass(Triangle::lower, Op::none, Op::transpose, 1, A, nullptr, 0, C);
          pass.prepare_pass(grid, block);
          pass.run({gemm, {}, nullptr, nullptr});
        });
        EXPECT_GT(by_gemm, 0U);
        EXPECT_LE(static_cast<double>(by_pass), 1.02 * static_cast<double>(by_gemm));
      },
      {4});
}

// How many times each local element of a rank's part is in a rectangle.
std::map<std::pair<std::int64_t, std::int64_t>, int> covered_in(
    const std::vector<LocalRectangle>& rectangles) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> times;
  for (const auto& [rows, columns] : rectangles) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      for (std::int64_t j = columns.begin; j < columns.end; ++j) ++times[{i, j}];
    }
  }
  return times;
}

// Checks that each element of the triangle is covered once. Returns the elements that are covered.
std::int64_t check_cover(const Layout& layout, GridPosition here, Triangle triangle) {
  const auto times = covered_in(triangle_cover(layout, here, triangle));
  for (const auto& [place, count] : times) EXPECT_EQ(count, 1);
  for (Local<Row> i; i.value < layout.rows().local_extent(here.row); ++i) {
    for (Local<Column> j; j.value < layout.columns().local_extent(here.column); ++j) {
      const std::int64_t row = layout.rows().global(here.row, i).value;
      const std::int64_t column = layout.columns().global(here.column, j).value;
      EXPECT_TRUE(!is_in(triangle, row, column) || times.contains({i.value, j.value}));
    }
  }
  return std::ssize(times);
}

TEST(TriangleCover, HasEachElementOfTheTriangleOnceAndFewOthers) {
  for (const std::int64_t n : {1, 2, 63, 64, 65, 300}) {
    for (const std::int64_t block : {1, 3, 16, 100, 1000}) {
      for (const GridShape& grid : {GridShape(1, 1), GridShape(2, 3), GridShape(4, 1)}) {
        const Layout layout = Layout::block_cyclic(n, n, block, block, grid);
        for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
          std::int64_t covered = 0;
          for (int row = 0; row < grid.rows(); ++row) {
            for (int column = 0; column < grid.columns(); ++column)
              covered += check_cover(layout, {row, column}, triangle);
          }
          // A rank's 64 columns, or rows, may be covered up to the diagonal of the first, or last.
          const std::int64_t beside = 64 * std::max(grid.rows(), grid.columns()) + block;
          EXPECT_LE(covered, n * (n + 1) / 2 + n * beside);
        }
      }
    }
  }
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

}  // namespace triangular_products_test
}  // namespace cuboid::detail
