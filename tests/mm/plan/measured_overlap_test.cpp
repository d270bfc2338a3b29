#include "mm/plan/measured_overlap.hpp"

#include <cuboid/communicator.hpp>

#include "collectives/communicator/communicator_state.hpp"

#include <array>
#include <optional>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace measured_overlap_test {

TEST(MeasuredOverlap, IsAShareThatAllRanksAgreeOnWhereThereAreSeveralNodes) {
  for (const char* topology : {"flat", "mesh:3@1gbit"}) {
    Environment environment;
    environment.topology = topology;
    constexpr int ranks = 3;
    std::array<std::optional<Measured>, ranks> found;
    bool one_node = true;
    run_ranks(
        ranks,
        [&](Communicator& communicator) {
          if (communicator.rank() == 0)
            one_node = communicator.state().cost_model.nodes.nodes() == 1;
          const LocalGemm gemm = LocalGemm::open(communicator.environment(), 1);
          found[static_cast<std::size_t>(communicator.rank())] =
              measured_overlap(communicator, gemm);
        },
        environment);
    for (const auto& mine : found) {
      ASSERT_EQ(mine.has_value(), !one_node) << topology;
      if (!mine) continue;
      EXPECT_GE(mine->least, 0);
      EXPECT_LE(mine->most, 1);
      EXPECT_EQ(mine->value, found[0]->value);
    }
  }
}

}  // namespace measured_overlap_test
}  // namespace cuboid::detail
