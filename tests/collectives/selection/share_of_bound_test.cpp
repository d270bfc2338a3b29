// Long messages: which part of the bound all-reduce, all-gather and reduce-scatter reach.

#include <cuboid/shape.hpp>

#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/selection/simulated_seconds.hpp"
#include "tests/collectives/blue_gene.hpp"
#include "tests/collectives/operation_name.hpp"
#include "topology/network/shape_bounds.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace share_of_bound_test {

constexpr double least_share = 0.85;

double bound_seconds(Operation operation, const Shape& shape, double bytes) {
  const std::vector<double> rates(static_cast<std::size_t>(shape.dimensions()), blue_gene_rate);
  return bytes / (operation == Operation::allreduce ? allreduce_bound(shape, rates)
                                                    : allgather_bound(shape, rates));
}

Collective reducing(Operation operation, std::size_t bytes, int ranks) {
  Collective call = call_of(operation, bytes, ranks);
  if (operation != Operation::allgather) call.reduction = Reduction::Kind::sum;
  return call;
}

// From 4x4 to 64x64x64 and six axes: cubes, flat ones, odd and uneven extents.
std::vector<Shape> tori() {
  std::vector<Shape> shapes;
  for (const char* spec :
       {"4x4",      "5x5",     "4x6",         "7x9",         "4x32",       "16x16",
        "33x33",    "64x64",   "4x4x4",       "5x5x5",       "4x6x8",      "8x8x8",
        "3x16x16",  "9x10x11", "12x12x12",    "16x16x16",    "4x32x32",    "16x32x32",
        "31x31x31", "8x64x64", "33x34x35",    "48x48x48",    "63x63x63",   "64x64x64",
        "4x4x4x4",  "8x8x8x8", "3x3x3x3x3x3", "4x4x4x4x5x5", "8x8x8x8x8x8"})
    shapes.push_back(parse_shape(std::string("torus:") + spec).shape);
  return shapes;
}

class ShareOfBound : public testing::TestWithParam<Operation> {};

TEST_P(ShareOfBound, ByFormulaIsLarge) {
  for (const Shape& shape : tori()) {
    const GroupCostModel cost_model = blue_gene(shape);
    for (const std::size_t bytes : {std::size_t{64} << 20, std::size_t{1} << 30}) {
      const Collective collective = reducing(GetParam(), bytes, cost_model.ranks());
      const Choice choice = select(collective, cost_model);
      const double share =
          bound_seconds(GetParam(), shape,
                        static_cast<double>(message_bytes(collective, cost_model.ranks()))) /
          choice.seconds;
      EXPECT_GE(share, least_share)
          << shape.to_string() << ", " << bytes << " bytes, " << describe(choice);
    }
  }
}

TEST_P(ShareOfBound, BySimulatorIsLarge) {
  for (const char* spec :
       {"4x4", "5x5", "4x6", "7x9", "16x16", "4x4x4", "5x5x5", "4x4x6", "6x6x6"}) {
    const Shape shape = parse_shape(std::string("torus:") + spec).shape;
    const GroupCostModel cost_model = blue_gene(shape);
    const Collective collective = reducing(GetParam(), std::size_t{64} << 20, cost_model.ranks());
    const Choice choice = select(collective, cost_model);
    const Call call{collective, cost_model};
    const auto seconds = simulated_seconds(call, *choice.algorithm, choice.settings);
    ASSERT_TRUE(seconds) << spec;
    const double share =
        bound_seconds(GetParam(), shape,
                      static_cast<double>(message_bytes(collective, cost_model.ranks()))) /
        *seconds;
    EXPECT_GE(share, least_share) << spec << ", " << describe(choice);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ShareOfBound,
                         testing::Values(Operation::allreduce, Operation::allgather,
                                         Operation::reduce_scatter));

}  // namespace share_of_bound_test
}  // namespace cuboid::detail
