// QR, Q applied and least squares on ranks that are threads, against LAPACK and products written
// out.

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/qr.hpp>

#include "mm/qr/given_factors.hpp"
#include "mm/qr/qr_plan.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/every_element_type.hpp"
#include "tests/mm/qr/qr_factors.hpp"

#include <array>
#include <complex>
#include <concepts>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {
namespace qr_test {

struct QrCase {
  int ranks, rows, columns;
  std::int64_t m, n, block;

  std::string text() const {
    return fmt::format("{} ranks, {}x{}, {}x{} in blocks of {}", ranks, rows, columns, m, n, block);
  }
  QrOptions options() const { return {.grid = GridShape(rows, columns), .block = block}; }
  Layout given_layout(std::int64_t of_columns) const {
    return Layout::block_cyclic(m, of_columns, 5, 3, choose_grid(ranks));
  }
};

const std::vector<std::array<int, 3>> grids = {
    // ranks, rows, columns
    {1, 1, 1}, {2, 1, 2}, {2, 2, 1}, {3, 3, 1},   {3, 1, 2},  {4, 2, 2},   {5, 5, 1},   {6, 2, 3},
    {7, 7, 1}, {8, 4, 2}, {9, 3, 3}, {11, 1, 11}, {12, 3, 4}, {13, 13, 1}, {16, 16, 1}, {16, 4, 4},
};

const std::vector<std::array<std::int64_t, 3>> shapes = {
    // m, n, block
    {0, 0, 4}, {1, 1, 4},    {4, 4, 4},  {5, 5, 4},   {17, 17, 4}, {23, 23, 3},
    {9, 9, 1}, {30, 30, 64}, {20, 9, 4}, {9, 20, 4},  {40, 7, 7},  {0, 3, 2},
    {3, 0, 2}, {33, 5, 16},  {2, 31, 8}, {45, 32, 8}, {61, 3, 4},  {50, 6, 3},
};

template <class T>
class QrTest : public testing::Test {
 protected:
  const LocalKernels kernels = LocalKernels::open(Environment::read(), 1);
};
TYPED_TEST_SUITE(QrTest, EveryElementType);

/// Every shape with every fourth grid, for double; fewer for the others, which differ in kernels.
/// No grid of more ranks than the largest world.
template <MatrixElement T, class Body>
void for_each_case(const Body& body) {
  constexpr std::size_t stride = std::same_as<T, double> ? 4 : 12;
  for (std::size_t grid = 0; grid < grids.size(); ++grid) {
    const auto [ranks, rows, columns] = grids[grid];
    if (ranks > largest_world) continue;
    try {
      run_ranks(ranks, [&](Communicator& communicator) {
        for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
          const auto [m, n, block] = shapes[shape];
          if ((grid + shape) % stride == 0)
            body(communicator, QrCase{ranks, rows, columns, m, n, block});
        }
      });
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

/// What rounding explains of a product with so many terms.
template <MatrixElement T>
double rounding(std::int64_t terms, double size) {
  return 20 * static_cast<double>(terms + 4) * epsilon_of<T>() * (size + 1);
}

TYPED_TEST(QrTest, FactorsMultiplyToTheMatrixAndQIsUnitary) {
  using T = TypeParam;
  for_each_case<T>([&](Communicator& communicator, const QrCase& one) {
    const auto A = WholeMatrix<T>::random(one.m, one.n);
    const auto factors =
        qr(A.spread(communicator, one.given_layout(one.n)), this->kernels, one.options());
    const auto whole = WholeQr<T>::gathered(factors, communicator);
    require(whole.residual(A) <= rounding<T>(one.m, A.largest()), "{}: residual {}", one.text(),
            whole.residual(A));
    require(whole.orthogonality() <= rounding<T>(one.m, 1), "{}: orthogonality {}", one.text(),
            whole.orthogonality());
    for (std::int64_t j = 0; j < whole.R.n; ++j)
      for (std::int64_t i = j + 1; i < whole.R.m; ++i)
        require(whole.R(i, j) == T(0), "{}: R({}, {}) is not 0", one.text(), i, j);
  });
}

TYPED_TEST(QrTest, FactorsLieAsLapackLaysThemOut) {
  using T = TypeParam;
  for_each_case<T>([&](Communicator& communicator, const QrCase& one) {
    const std::int64_t k = std::min(one.m, one.n);
    const auto A = WholeMatrix<T>::random(one.m, one.n);
    const auto factors =
        qr(A.spread(communicator, one.given_layout(one.n)), this->kernels, one.options());
    Matrix<T> both(communicator, one.given_layout(one.n));
    factors.copy_to(both);
    const auto got = WholeMatrix<T>::gathered(both);
    const auto columns = [&](const WholeMatrix<T>& of) {
      return WholeMatrix<T>::made(one.m, k, [&](auto i, auto j) { return of(i, j); });
    };
    const LapackQr<T> expected(columns(A), this->kernels);
    require(std::ssize(factors.taus()) == k, "{}: {} taus", one.text(), factors.taus().size());
    for (std::int64_t j = 0; j < k; ++j) {
      const double allowed = 500 * rounding<T>(one.m, 1);
      const double tau =
          std::abs(factors.taus()[static_cast<std::size_t>(j)] - expected.block_factor(j, j));
      require(tau <= allowed, "{}: tau {} is off by {}", one.text(), j, tau);
      for (std::int64_t i = 0; i < one.m; ++i) {
        const double off = std::abs(got(i, j) - expected.factors(i, j));
        require(off <= allowed, "{}: ({}, {}) is off by {}", one.text(), i, j, off);
      }
    }
  });
}

TYPED_TEST(QrTest, QIsAppliedFromBothSides) {
  using T = TypeParam;
  for_each_case<T>([&](Communicator& communicator, const QrCase& one) {
    constexpr std::int64_t columns = 5;
    const auto A = WholeMatrix<T>::random(one.m, one.n);
    const auto factors =
        qr(A.spread(communicator, one.given_layout(one.n)), this->kernels, one.options());
    Matrix<T> all(communicator, one.given_layout(one.m));
    factors.copy_q_to(all);
    const auto Q = WholeMatrix<T>::gathered(all);
    const auto C = WholeMatrix<T>::random(one.m, columns, 11);
    const auto adjoint =
        WholeMatrix<T>::made(columns, one.m, [&](auto i, auto j) { return conjugate(C(j, i)); });
    for (const Op op : {Op::none, Op::conjugate_transpose}) {
      Matrix<T> left = C.spread(communicator, one.given_layout(columns));
      factors.apply_q(op, MatrixSide::left, left);
      const auto expected = times(op, Q, C);
      const double off = largest_difference(WholeMatrix<T>::gathered(left), expected);
      require(off <= rounding<T>(one.m, 1), "{}, {}: off by {}", one.text(), to_string(op), off);
      // Cᴴ·op(Q)ᴴ is the adjoint of op(Q)·C.
      const Op other = op == Op::none ? Op::conjugate_transpose : Op::none;
      Matrix<T> right = adjoint.spread(
          communicator, Layout::block_cyclic(columns, one.m, 2, 4, choose_grid(one.ranks)));
      factors.apply_q(other, MatrixSide::right, right);
      const auto got = WholeMatrix<T>::gathered(right);
      const auto turned = WholeMatrix<T>::made(
          one.m, columns, [&](auto i, auto j) { return conjugate(got(j, i)); });
      const double off_right = largest_difference(turned, expected);
      require(off_right <= rounding<T>(one.m, 1), "{}, right, {}: off by {}", one.text(),
              to_string(other), off_right);
    }
  });
}

TYPED_TEST(QrTest, GivenFactorsAreApplied) {
  using T = TypeParam;
  for_each_case<T>([&](Communicator& communicator, const QrCase& one) {
    const auto A = WholeMatrix<T>::random(one.m, one.n);
    const auto factors =
        qr(A.spread(communicator, one.given_layout(one.n)), this->kernels, one.options());
    Matrix<T> given(communicator, one.given_layout(one.n));
    factors.copy_to(given);
    const auto again = qr_of_given_factors<T>(given, factors.taus(), this->kernels,
                                              {.grid = one.options().grid, .block = 4});
    const auto C = WholeMatrix<T>::random(one.m, 3, 11);
    Matrix<T> expected = C.spread(communicator, one.given_layout(3)),
              got = C.spread(communicator, one.given_layout(3));
    factors.apply_q(Op::conjugate_transpose, MatrixSide::left, expected);
    again.apply_q(Op::conjugate_transpose, MatrixSide::left, got);
    const double off =
        largest_difference(WholeMatrix<T>::gathered(got), WholeMatrix<T>::gathered(expected));
    require(off <= rounding<T>(one.m, 1), "{}: off by {}", one.text(), off);
  });
}

TYPED_TEST(QrTest, LeastSquaresAreOrthogonalToTheColumns) {
  using T = TypeParam;
  for_each_case<T>([&](Communicator& communicator, const QrCase& one) {
    for (const std::int64_t columns : {0, 3}) {
      auto A = WholeMatrix<T>::random(one.m, one.n);
      for (std::int64_t k = 0; k < std::min(one.m, one.n); ++k) A(k, k) += T(4);
      const auto B = WholeMatrix<T>::random(one.m, columns, 12);
      Matrix<T> X(communicator, Layout::block(one.n, columns, GridShape(one.ranks, 1)));
      least_squares(A.spread(communicator, one.given_layout(one.n)),
                    B.spread(communicator, one.given_layout(columns)), X, this->kernels,
                    one.options());
      const auto solution = WholeMatrix<T>::gathered(X);
      const auto left = times(Op::none, A, solution);
      const double allowed = 100 * rounding<T>(one.m + one.n, solution.largest());
      if (one.m < one.n) {
        require(largest_difference(left, B) <= allowed, "{}: A·X is off by {}", one.text(),
                largest_difference(left, B));
        // The least norm is that of a combination of A's rows: X = Aᴴ·Y.
        const auto adjoint =
            WholeMatrix<T>::made(one.n, one.m, [&](auto i, auto j) { return conjugate(A(j, i)); });
        const auto Q = LapackQr<T>(adjoint, this->kernels).whole().Q;
        const auto projected = times(Op::none, Q, times(Op::conjugate_transpose, Q, solution));
        require(largest_difference(projected, solution) <= allowed, "{}: not of least norm",
                one.text());
        continue;
      }
      const auto residual = WholeMatrix<T>::made(
          one.m, columns, [&](auto i, auto j) { return B(i, j) - left(i, j); });
      const double product = times(Op::conjugate_transpose, A, residual).largest();
      require(product <= allowed * (A.largest() + 1), "{}: Aᴴ·(B - A·X) is {}", one.text(),
              product);
    }
  });
}

TYPED_TEST(QrTest, OfEveryTinyShapeMultipliesToTheMatrix) {
  using T = TypeParam;
  run_ranks(4, [&](Communicator& communicator) {
    for (std::int64_t m = 0; m <= 5; ++m) {
      for (std::int64_t n = 0; n <= 5; ++n) {
        const auto A = WholeMatrix<T>::random(m, n);
        const auto factors = qr(A.spread(communicator, Layout::block(m, n, GridShape(4, 1))),
                                this->kernels, {.grid = GridShape(2, 2), .block = 2});
        const auto whole = WholeQr<T>::gathered(factors, communicator);
        require(whole.residual(A) <= rounding<T>(m, 1), "{}x{}: residual", m, n);
        require(whole.orthogonality() <= rounding<T>(m, 1), "{}x{}: orthogonality", m, n);
      }
    }
  });
}

TYPED_TEST(QrTest, EveryRunGivesTheSameBits) {
  using T = TypeParam;
  for (const auto& [rows, columns] : {std::pair{5, 1}, {3, 2}}) {
    std::vector<T> first;
    for (int run = 0; run < 3; ++run) {
      run_ranks(rows * columns, [&](Communicator& communicator) {
        Matrix<T> A(communicator, Layout::block(70, 20, choose_grid(rows * columns)));
        A.fill_random(3);
        qr(A, this->kernels, {.grid = GridShape(rows, columns), .block = 6}).copy_to(A);
        const auto got = WholeMatrix<T>::gathered(A);
        if (communicator.rank() != 0) return;
        if (first.empty()) first = got.values;
        require(first == got.values, "run {} has other bits", run);
      });
    }
  }
}

TYPED_TEST(QrTest, AZeroColumnIsNamed) {
  using T = TypeParam;
  for (const std::int64_t zero : {0, 5, 8}) {
    auto A = WholeMatrix<T>::random(30, 9);
    for (std::int64_t i = 0; i < A.m; ++i) A(i, zero) = T(0);
    on_worlds(
        [&](Communicator& communicator) {
          const Layout layout = Layout::block(30, 9, choose_grid(communicator.size()));
          const auto factors = qr(A.spread(communicator, layout), this->kernels,
                                  {.grid = GridShape(communicator.size(), 1), .block = 9});
          // Rounding may fill the place once other columns have been eliminated.
          const auto whole = WholeQr<T>::gathered(factors, communicator);
          require(whole.orthogonality() <= rounding<T>(30, 1), "Q is not unitary");
          require(std::abs(whole.R(zero, zero)) <= rounding<T>(30, 1), "R({0}, {0}) is not small",
                  zero);
          if (zero > 0) return;
          require(factors.info() == 1, "info {}", factors.info());
          Matrix<T> X(communicator, Layout::block(9, 1, GridShape(communicator.size(), 1)));
          const Matrix<T> B(communicator, Layout::block(30, 1, GridShape(communicator.size(), 1)));
          require_error([&] { factors.least_squares(B, X); }, ErrorCode::invalid_argument,
                        {"full rank", "R(1, 1)"});
        },
        {1, 3, 8});
  }
}

TYPED_TEST(QrTest, NotANumberIsSaid) {
  using T = TypeParam;
  auto A = WholeMatrix<T>::random(12, 20);
  A(3, 17) = std::numeric_limits<RealOf<T>>::quiet_NaN();
  on_worlds(
      [&](Communicator& communicator) {
        const Layout layout = Layout::block(12, 20, choose_grid(communicator.size()));
        const auto factors = qr(A.spread(communicator, layout), this->kernels, {.block = 4});
        require(!factors.is_finite(), "finite");
      },
      {1, 4});
}

TYPED_TEST(QrTest, BadInputIsSaid) {
  using T = TypeParam;
  run_ranks(3, [&](Communicator& communicator) {
    const auto made = [&](std::int64_t m, std::int64_t n) {
      Matrix<T> matrix(communicator, Layout::block(m, n, GridShape(3, 1)));
      matrix.fill_random(1);
      return matrix;
    };
    const Matrix<T> A = made(9, 4);
    const auto invalid = [](const std::function<void()>& call, const std::string& part) {
      require_error(call, ErrorCode::invalid_argument, {part});
    };
    invalid([&] { qr(A, this->kernels, {.grid = GridShape(2, 2)}); }, "needs 4 ranks");
    invalid([&] { qr(A, this->kernels, {.block = 0}); }, "block 0");
    invalid([&] { qr(A, this->kernels, {.grid = GridShape(1, 2, {2, 0})}); }, "lists ranks");
    require_error([&] { qr(A, this->kernels, {.memory_limit = 10}); }, ErrorCode::out_of_memory,
                  {"at least", "limit is 10"});
    const auto factors = qr(A, this->kernels);
    Matrix<T> wrong = made(5, 4), X = made(4, 2);
    invalid([&] { factors.copy_to(wrong); }, "give 9x4");
    invalid([&] { factors.copy_r_to(wrong); }, "give 4x4");
    invalid([&] { factors.copy_q_to(wrong); }, "give 9x");
    invalid([&] { factors.apply_q(Op::none, MatrixSide::left, wrong); }, "give 9x4");
    invalid([&] { factors.least_squares(wrong, X); }, "B: a 5x4");
    if constexpr (is_complex<T>)
      invalid([&] { factors.apply_q(Op::transpose, MatrixSide::left, X); }, "transpose");
    const auto wide = qr(made(4, 9), this->kernels);
    invalid([&] { wide.least_squares(X, X); }, "conjugate transpose");
  });
}

}  // namespace qr_test
}  // namespace cuboid::detail
