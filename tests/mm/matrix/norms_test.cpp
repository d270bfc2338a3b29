// Norms of distributed matrices, beside the same computed on one rank.

#include <cuboid/norms.hpp>

#include "mm/matrix/random_element.hpp"
#include "tests/collectives/on_ranks.hpp"
#include "tests/mm/every_element_type.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace norms_test {

template <class T>
class NormsTest : public testing::Test {};
TYPED_TEST_SUITE(NormsTest, EveryElementType);

template <class T>
T element(Global<Row> i, Global<Column> j) {
  return RandomColumn(7, j).at<T>(i);
}

template <class T>
double reference(Norm kind, std::int64_t m, std::int64_t n) {
  std::vector<double> rows(static_cast<std::size_t>(m)), columns(static_cast<std::size_t>(n));
  double squares = 0, largest = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      const double size = std::abs(element<T>(Global<Row>(i), Global<Column>(j)));
      rows[static_cast<std::size_t>(i)] += size;
      columns[static_cast<std::size_t>(j)] += size;
      squares += size * size;
      largest = std::max(largest, size);
    }
  }
  const auto most = [](const std::vector<double>& sums) {
    return sums.empty() ? 0.0 : *std::ranges::max_element(sums);
  };
  switch (kind) {
    case Norm::one: return most(columns);
    case Norm::infinity: return most(rows);
    case Norm::frobenius: return std::sqrt(squares);
    case Norm::maximum: break;
  }
  return largest;
}

constexpr std::array kinds = {Norm::one, Norm::infinity, Norm::frobenius, Norm::maximum};

TYPED_TEST(NormsTest, AreThoseOfTheWholeMatrix) {
  using T = TypeParam;
  on_worlds([](Communicator& c) {
    for (const auto& [m, n] : {std::pair{0, 0}, {0, 3}, {1, 1}, {5, 1}, {1, 7}, {13, 9}}) {
      Matrix<T> A(c, Layout::block_cyclic(m, n, 2, 3, choose_grid(c.size())));
      A.fill(element<T>);
      for (const Norm kind : kinds) {
        const double expected = reference<T>(kind, m, n);
        require(std::abs(norm(kind, A) - expected) <= 1e-5 * expected, "{}x{}: {} for {}", m, n,
                norm(kind, A), expected);
      }
    }
  });
}

TYPED_TEST(NormsTest, OfWhatHasNanAreNan) {
  using T = TypeParam;
  on_worlds([](Communicator& c) {
    Matrix<T> A(c, Layout::block(6, 6, choose_grid(c.size())));
    A.fill([](Global<Row> i, Global<Column> j) {
      return i.value == 4 && j.value == 1 ? T(std::numeric_limits<RealOf<T>>::quiet_NaN()) : T(1);
    });
    for (const Norm kind : kinds) require(std::isnan(norm(kind, A)), "a NaN was lost");
  });
}

TYPED_TEST(NormsTest, DoNotOverflowInBetween) {
  using T = TypeParam;
  using R = RealOf<T>;
  on_worlds([](Communicator& c) {
    Matrix<T> A(c, Layout::block(3, 3, choose_grid(c.size())));
    for (const R size : {std::numeric_limits<R>::max() / 8, std::numeric_limits<R>::min() * 8}) {
      A.fill([size](Global<Row>, Global<Column>) { return T(size); });
      const double found = norm(Norm::frobenius, A);
      require(std::abs(found / static_cast<double>(size) - 3) < 1e-5, "{} of {}", found, size);
    }
  });
}

}  // namespace norms_test
}  // namespace cuboid::detail
