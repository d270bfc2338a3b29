#include "mm/plan/rates.hpp"

#include <cuboid/allreduce.hpp>
#include <cuboid/communicator.hpp>

#include <array>
#include <complex>
#include <span>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

template <class T>
void expect_equal_rates_on_all_ranks() {
  constexpr int ranks = 3;
  std::array<Rates, ranks> measured;
  run_ranks(ranks, [&](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    Rates& mine = measured[static_cast<std::size_t>(communicator.rank())];
    mine = rates_of<T>(communicator, gemm);
    // Known by now.
    const Rates again = rates_of<T>(communicator, gemm);
    EXPECT_EQ(again.multiplications_per_second, mine.multiplications_per_second);
    EXPECT_EQ(again.operand_seconds_per_byte, mine.operand_seconds_per_byte);
  });
  for (const Rates& one : measured) {
    EXPECT_GT(one.multiplications_per_second, 0);
    EXPECT_EQ(one.multiplications_per_second, measured[0].multiplications_per_second);
    ASSERT_TRUE(one.operand_seconds_per_byte);
    EXPECT_GE(*one.operand_seconds_per_byte, 0);
    EXPECT_EQ(*one.operand_seconds_per_byte, *measured[0].operand_seconds_per_byte);
  }
}

TEST(Rates, OfTheGemmAreMeasuredOnceAndTheSameOnAllRanks) {
  expect_equal_rates_on_all_ranks<double>();
  expect_equal_rates_on_all_ranks<std::complex<float>>();
}

TEST(Rates, RanksThatMeasuredInDifferentGroupsAgree) {
  run_ranks(3, [&](Communicator& communicator) {
    const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
    // Two of the three, first without the last rank, then without the first.
    double slowest = 0;
    for (const int without : {2, 0, 1}) {
      const int rank = communicator.rank();
      const auto two = communicator.split(rank == without ? 1 : 0, rank);
      if (rank == without) continue;
      slowest = rates_of<double>(two, gemm).multiplications_per_second;
      double others = 0;
      allreduce(two, std::span<const double>(&slowest, 1), std::span(&others, 1),
                Reduction::Kind::maximum);
      EXPECT_EQ(others, slowest);
    }
  });
}

}  // namespace
}  // namespace cuboid::detail
