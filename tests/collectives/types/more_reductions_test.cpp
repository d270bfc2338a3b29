// Numbers of 16 bits, long double, values with their locations, averages.

#include <cuboid/collectives.hpp>
#include <cuboid/half.hpp>
#include <cuboid/reduction.hpp>

#include "tests/collectives/on_ranks.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace cuboid::detail {
namespace more_reductions_test {

using Kind = Reduction::Kind;

double value_of(unsigned bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
  const double mantissa = bits & ((1u << mantissa_bits) - 1);
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                         : std::ldexp(mantissa + std::ldexp(1.0, mantissa_bits),
                                                      exponent - bias - mantissa_bits);
  return bits >> 15 != 0 ? -magnitude : magnitude;
}

template <class Half>
void expect_every_value_kept(int exponent_bits, int mantissa_bits) {
  const unsigned infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto half = Half::from_bits(static_cast<std::uint16_t>(bits));
    const auto number = static_cast<float>(half);
    if ((bits & 0x7fffu) > infinity) {
      EXPECT_TRUE(std::isnan(number)) << bits;
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(number)))) << bits;
      continue;
    }
    EXPECT_EQ(Half(number).bits(), bits);
    if ((bits & 0x7fffu) == infinity) {
      EXPECT_TRUE(std::isinf(number)) << bits;
      continue;
    }
    EXPECT_EQ(number, value_of(bits, exponent_bits, mantissa_bits)) << bits;
    // Half way to the next number: to the even one of the two; a little more or less: to the
    // nearer.
    if ((bits & 0x7fffu) + 1 >= infinity) continue;
    const auto next = static_cast<float>(Half::from_bits(static_cast<std::uint16_t>(bits + 1)));
    const auto middle = static_cast<float>((static_cast<double>(number) + next) / 2);
    EXPECT_EQ(Half(middle).bits(), bits % 2 == 0 ? bits : bits + 1) << bits;
    EXPECT_EQ(Half(std::nextafter(middle, number)).bits(), bits);
    EXPECT_EQ(Half(std::nextafter(middle, next)).bits(), bits + 1);
  }
}

TEST(Half, EveryFloat16IsKeptAndRoundedToNearest) {
  expect_every_value_kept<Float16>(5, 10);
  EXPECT_EQ(Float16(65519.0f).bits(), 0x7bff);
  EXPECT_EQ(Float16(65520.0f).bits(), 0x7c00);
}

TEST(Half, EveryBFloat16IsKeptAndRoundedToNearest) {
  expect_every_value_kept<BFloat16>(8, 7);
}

template <class T>
void check_sum_and_average(const Communicator& c) {
  const std::vector<T> mine(7, T(static_cast<float>(2 * c.rank())));
  const float sum = static_cast<float>(c.size() * (c.size() - 1));
  std::vector<T> sums(7);
  allreduce(c, mine, sums, Kind::sum);
  require(sums[6] == T(sum), "sum of {}", to_string(datatype_of<T>()));
  std::vector<T> average = mine;
  allreduce(c, average, average, Kind::average);
  require(average[6] == T(static_cast<float>(c.size() - 1)), "average in place of {}",
          to_string(datatype_of<T>()));
  std::vector<T> at_root(7, T(-1.0f));
  reduce(c, mine, at_root, Kind::average, c.size() - 1);
  if (c.rank() == c.size() - 1)
    require(at_root[0] == T(static_cast<float>(c.size() - 1)), "average at the root");
  const std::vector<T> blocks(static_cast<std::size_t>(3 * c.size()),
                              T(static_cast<float>(2 * c.rank())));
  std::vector<T> block(3);
  reduce_scatter(c, blocks, block, Kind::average);
  require(block[2] == T(static_cast<float>(c.size() - 1)), "average of a block");
}

TEST(Reductions, SumsAndAverages) {
  on_worlds([](Communicator& c) {
    check_sum_and_average<Float16>(c);
    check_sum_and_average<BFloat16>(c);
    check_sum_and_average<float>(c);
    check_sum_and_average<double>(c);
    check_sum_and_average<long double>(c);
    check_sum_and_average<std::complex<double>>(c);
    std::vector<double> lots(100000, c.rank());
    CollectivePlan plan = plan_allreduce(c, lots, lots, Kind::average);
    plan.run();
    plan.run();
    require(lots.back() == (c.size() - 1) / 2.0, "average of many, twice");
  });
}

template <class Value, class Index>
void check_locations(const Communicator& c) {
  using Element = Located<Value, Index>;
  // Ranks 1 and 2, where they are, have the least; the last rank alone has the greatest.
  const auto value = static_cast<Value>(c.rank() == 1 || c.rank() == 2 ? 1 : 5 + c.rank());
  const std::vector<Element> mine(3, {value, static_cast<Index>(c.rank())});
  std::vector<Element> least(3);
  std::vector<Element> greatest(3);
  allreduce(c, mine, least, Kind::minimum_location);
  allreduce(c, mine, greatest, Kind::maximum_location);
  require(least[2].index == static_cast<Index>(c.size() > 1 ? 1 : 0), "minimum of {}",
          to_string(datatype_of<Element>()));
  const int last = c.size() <= 3 ? 0 : c.size() - 1;
  require(greatest[2].index == static_cast<Index>(last), "maximum of {}",
          to_string(datatype_of<Element>()));
}

TEST(Reductions, WhereTheLeastAndTheGreatestAre) {
  on_worlds([](Communicator& c) {
    check_locations<double, int>(c);
    check_locations<float, int>(c);
    check_locations<int, int>(c);
    check_locations<short, int>(c);
    check_locations<long, int>(c);
    check_locations<long double, int>(c);
    check_locations<double, double>(c);
    check_locations<double, std::int64_t>(c);
  });
}

TEST(Reductions, LocatedTypesAreTheStructs) {
  EXPECT_EQ(datatype_of<Located<double>>().bytes(), sizeof(Located<double>));
  EXPECT_EQ(datatype_of<Located<short>>().bytes(), sizeof(Located<short>));
  EXPECT_EQ(datatype_of<Located<long double>>().bytes(), sizeof(Located<long double>));
  EXPECT_EQ(to_string(datatype_of<Located<double>>()), "located(float64, int32)");
  EXPECT_NE(datatype_of<Located<double>>(), (datatype_of<Located<double, std::int64_t>>()));
  EXPECT_THROW(Datatype::located(Datatype::Kind::complex64, Datatype::Kind::int32), Error);
  EXPECT_THROW(Datatype::located(Datatype::Kind::float64, Datatype::Kind::int8), Error);
  EXPECT_FALSE(Reduction(Kind::sum).defined_for(datatype_of<Located<double>>()));
  EXPECT_FALSE(Reduction(Kind::minimum_location).defined_for(datatype_of<double>()));
  EXPECT_FALSE(Reduction(Kind::average).defined_for(datatype_of<int>()));
}

}  // namespace more_reductions_test
}  // namespace cuboid::detail
