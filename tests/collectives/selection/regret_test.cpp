// What selection chooses, against the best of all algorithms with all their settings, both by whole
// runs of the simulator. The cases are drawn; bench/regret draws more of them.

#include "bench/regret/cases.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace regret_test {

TEST(Regret, IsSmallOnMachinesOfManyKinds) {
  constexpr std::size_t cases = 80;
  constexpr int most_ranks = 16;
  std::vector<double> regrets;
  for (const RegretCase& drawn : regret_cases(cases, most_ranks)) {
    const Regret regret = regret_of(drawn);
    regrets.push_back(regret.value());
    EXPECT_LE(regret.value(), 0.2)
        << describe(drawn) << ": " << regret.chosen << ", best " << regret.best;
  }
  std::ranges::sort(regrets);
  EXPECT_EQ(regrets.size(), cases);
  EXPECT_LT(regrets[cases / 2], 5e-3);
  EXPECT_LE(regrets[cases * 95 / 100], 0.05);
}

}  // namespace regret_test
}  // namespace cuboid::detail
