// Elements of distributed matrices set, copied and scaled, beside the same done element by element.

#include <cuboid/elementwise.hpp>
#include <cuboid/error.hpp>

#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/every_element_type.hpp"
#include "tests/mm/whole_matrix.hpp"

#include <array>
#include <complex>
#include <limits>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace elementwise_test {

template <class T>
class ElementwiseTest : public testing::Test {};
TYPED_TEST_SUITE(ElementwiseTest, EveryElementType);

constexpr std::array<std::optional<Triangle>, 3> parts = {std::nullopt, Triangle::lower,
                                                          Triangle::upper};
constexpr std::pair<int, int> shapes[] = {{0, 0}, {0, 3}, {3, 0},  {1, 1}, {1, 7},
                                          {7, 1}, {9, 9}, {13, 8}, {8, 13}};

bool is_meant(std::optional<Triangle> part, std::int64_t i, std::int64_t j) {
  return !part || (*part == Triangle::lower ? i >= j : i <= j);
}

template <class T>
void require_equal(const WholeMatrix<T>& expected, const Matrix<T>& got, const char* what) {
  const auto whole = WholeMatrix<T>::gathered(got);
  require(whole.values == expected.values, "{} of {}x{}", what, expected.m, expected.n);
}

TYPED_TEST(ElementwiseTest, SetsWhatIsMeant) {
  using T = TypeParam;
  on_worlds([](Communicator& c) {
    for (const auto& [m, n] : shapes) {
      for (const auto part : parts) {
        auto expected = WholeMatrix<T>::random(m, n);
        Matrix<T> A = expected.spread(c, Layout::block_cyclic(m, n, 2, 3, choose_grid(c.size())));
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i < m; ++i) {
            if (is_meant(part, i, j)) expected(i, j) = i == j ? T(5) : T(-2);
          }
        }
        laset(part, T(-2), T(5), A);
        require_equal<T>(expected, A, "laset");
      }
    }
  });
}

TYPED_TEST(ElementwiseTest, CopiesWhatIsMeantBetweenLayouts) {
  using T = TypeParam;
  on_worlds([](Communicator& c) {
    const GridShape grid = choose_grid(c.size());
    for (const auto& [m, n] : shapes) {
      for (const auto part : parts) {
        const auto from = WholeMatrix<T>::random(m, n, 3);
        auto expected = WholeMatrix<T>::random(m, n, 4);
        // What is not meant may be NaN.
        auto given = from;
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i < m; ++i) {
            if (!is_meant(part, i, j)) given(i, j) = T(std::numeric_limits<RealOf<T>>::quiet_NaN());
          }
        }
        const Matrix<T> A = given.spread(c, Layout::block_cyclic(m, n, 3, 2, grid));
        Matrix<T> B = expected.spread(
            c, Layout::block_cyclic(m, n, 1, 4, GridShape(grid.columns(), grid.rows())));
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i < m; ++i) {
            if (is_meant(part, i, j)) expected(i, j) = from(i, j);
          }
        }
        lacpy(part, A, B);
        require_equal<T>(expected, B, "lacpy");
      }
    }
  });
}

TYPED_TEST(ElementwiseTest, ViewsAreMatrices) {
  using T = TypeParam;
  on_worlds([](Communicator& c) {
    auto expected = WholeMatrix<T>::random(11, 9);
    Matrix<T> A = expected.spread(c, Layout::block_cyclic(11, 9, 2, 3, choose_grid(c.size())));
    MatrixView<T> inner = view(A, Global<Row>(3), Global<Column>(1), 5, 7);
    laset(Triangle::lower, T(0), T(1), inner);
    for (std::int64_t j = 0; j < 7; ++j) {
      for (std::int64_t i = j; i < 5; ++i) expected(3 + i, 1 + j) = T(i == j ? 1 : 0);
    }
    require_equal<T>(expected, A, "a view's laset");
    MatrixView<T> corner = view(A, Global<Row>(0), Global<Column>(0), 2, 9);
    lascl(Triangle::upper, 2, 1, corner);
    for (std::int64_t j = 0; j < 9; ++j) {
      for (std::int64_t i = 0; i <= std::min<std::int64_t>(j, 1); ++i) expected(i, j) *= 0.5F;
    }
    require_equal<T>(expected, A, "a view's lascl");
  });
}

TYPED_TEST(ElementwiseTest, ScalesWithoutOverflowInBetween) {
  using T = TypeParam;
  using R = RealOf<T>;
  constexpr double largest = std::numeric_limits<R>::max(), least = std::numeric_limits<R>::min();
  on_worlds([](Communicator& c) {
    const auto scaled = [&c](double value, double divisor, double factor) {
      Matrix<T> A(c, Layout::block(3, 5, choose_grid(c.size())));
      laset({}, T(static_cast<R>(value)), T(static_cast<R>(value)), A);
      lascl({}, divisor, factor, A);
      return static_cast<double>(std::real(WholeMatrix<T>::gathered(A)(2, 3)));
    };
    require(scaled(3, 4, 2) == 1.5, "a half");
    require(scaled(3, -1, 1) == -3, "negative");
    require(scaled(3, 7, 0) == 0, "times 0");
    require(scaled(3, 5, 5) == 3, "left alone");
    // The quotient of the factors is no number of the type, the result is.
    const double small = scaled(least, least, largest / 8);
    require(std::abs(small / (largest / 8) - 1) < 1e-5, "{} from the least number", small);
    const double great = scaled(largest, largest, 4 * least);
    require(std::abs(great / (4 * least) - 1) < 1e-5, "{} from the largest number", great);
    require(scaled(3, std::numeric_limits<double>::infinity(), 2) == 0, "by infinity");
    require(std::isinf(scaled(3, 2, -std::numeric_limits<double>::infinity())), "to infinity");
    require(std::isnan(scaled(std::numeric_limits<double>::quiet_NaN(), 2, 1)), "a NaN was lost");
  });
}

TEST(Elementwise, RefusesWhatMakesNoSense) {
  on_worlds([](Communicator& c) {
    const GridShape grid = choose_grid(c.size());
    Matrix<double> A(c, Layout::block(4, 4, grid)), B(c, Layout::block(4, 5, grid));
    A.fill_random(1);
    const auto refused = [](const auto& call) {
      try {
        call();
      } catch (const Error& error) {
        return error.code() == ErrorCode::invalid_argument;
      }
      return false;
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    require(refused([&] { lacpy({}, A, B); }), "shapes");
    require(refused([&] { lacpy(Triangle::lower, A, A); }), "shared memory");
    require(refused([&] { lascl({}, 0, 1, A); }), "a divisor of 0");
    require(refused([&] { lascl({}, nan, 1, A); }), "a divisor of NaN");
    require(refused([&] { lascl({}, 1, nan, A); }), "a factor of NaN");
  });
}

}  // namespace elementwise_test
}  // namespace cuboid::detail
