// Whether elements are finite: also large ones, whose absolute value is not.

#include "mm/matrix/finite.hpp"
#include "mm/matrix/local_views.hpp"
#include "tests/mm/every_element_type.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace all_finite_test {

template <class T>
class AllFinite : public testing::Test {};
TYPED_TEST_SUITE(AllFinite, EveryElementType);

TYPED_TEST(AllFinite, LargeElementsAreAndNanAndInfinitiesAreNot) {
  using T = TypeParam;
  using Limits = std::numeric_limits<RealOf<T>>;
  constexpr std::int64_t rows = 3, columns = 2;
  std::vector<T> elements(rows * columns, T(Limits::max()));
  if constexpr (is_complex<T>) elements.back() = T(Limits::max(), -Limits::max());
  const LocalView<T> view = dense_view(elements.data(), rows, columns);
  EXPECT_TRUE(all_finite(view));
  for (const auto bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (T& element : elements) {
      const T before = element;
      element = T(bad);
      EXPECT_FALSE(all_finite(view));
      if constexpr (is_complex<T>) {
        element = T(1, bad);
        EXPECT_FALSE(all_finite(view));
      }
      element = before;
    }
  }
  EXPECT_TRUE(all_finite(view));
}

}  // namespace all_finite_test
}  // namespace cuboid::detail
