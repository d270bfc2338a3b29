// Between neighbouring sizes of a family of networks, what a call takes jumps no more than what it
// must take.

#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/selection.hpp"
#include "tests/collectives/blue_gene.hpp"
#include "tests/collectives/operation_name.hpp"
#include "topology/network/shape_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace cost_cliffs_test {

double bytes_per_second(Operation operation, const Shape& shape) {
  const std::vector<double> rates(static_cast<std::size_t>(shape.dimensions()), blue_gene_rate);
  switch (operation) {
    case Operation::broadcast:
    case Operation::reduce: return broadcast_bound(shape, rates);
    case Operation::allreduce: return allreduce_bound(shape, rates);
    case Operation::alltoall: return alltoall_bound(shape, rates);
    default: return allgather_bound(shape, rates);
  }
}

// The least number of messages one after the other. That all ranks get the same bits takes an
// all-reduce of no power of two of ranks one step more: some hand over what they have, and stand
// by.
double least_steps(Operation operation, int ranks) {
  const auto number = static_cast<unsigned>(ranks);
  const int steps = static_cast<int>(std::bit_width(number - 1));
  const bool hands_over = operation == Operation::allreduce && !std::has_single_bit(number);
  return steps + (hands_over ? 1 : 0);
}

// What both a rank's messages and the worst cut need.
double bound(const Collective& call, const Shape& shape, const GroupCostModel& cost_model) {
  const int ranks = cost_model.ranks();
  const auto bytes = static_cast<double>(message_bytes(call, ranks));
  const double messages = least_steps(call.operation, ranks) * cost_model.network.alpha;
  if (call.operation == Operation::barrier) return messages;
  return messages + bytes / bytes_per_second(call.operation, shape);
}

struct CostOfCall {
  double per_bound = 0;
  std::string how;
};

CostOfCall with_cost(Operation operation, const Shape& shape, std::size_t bytes) {
  const GroupCostModel cost_model = blue_gene(shape);
  Collective call = call_of(operation, bytes, cost_model.ranks());
  if (operation == Operation::reduce || operation == Operation::allreduce ||
      operation == Operation::reduce_scatter)
    call.reduction = Reduction::Kind::sum;
  const Choice choice = select(call, cost_model);
  return {choice.seconds / bound(call, shape, cost_model),
          shape.to_string() + " by " + describe(choice) + ", " +
              std::to_string(choice.seconds * 1e6) + " us"};
}

using Family = std::vector<Shape>;

template <class Make>
Family family(int first, int last, const Make& make) {
  Family shapes;
  for (int extent = first; extent <= last; ++extent) shapes.push_back(make(extent));
  return shapes;
}

// From 64 nodes on: of fewer, one step or one cable more is a large part of all.
std::vector<Family> families() {
  const auto torus = [](std::vector<int> extents) { return Shape::torus(extents); };
  std::vector<Family> all;
  all.push_back(family(4, 18, [&](int n) { return torus({n, n, n}); }));
  all.push_back(family(31, 34, [&](int n) { return torus({n, n, n}); }));
  all.push_back(family(62, 64, [&](int n) { return torus({n, n, n}); }));
  all.push_back(family(8, 26, [&](int n) { return torus({n, n}); }));
  all.push_back(family(4, 20, [&](int n) { return torus({n, 8, 8}); }));
  // Six axes that grow in turns.
  all.push_back(family(0, 12, [&](int more) {
    std::vector<int> extents;
    for (int axis = 0; axis < 6; ++axis)
      extents.push_back(3 + more / 6 + (axis < more % 6 ? 1 : 0));
    return torus(extents);
  }));
  return all;
}

constexpr std::size_t longest = std::size_t{64} << 20;

// The worst of all neighbours, with what they are.
std::pair<double, std::string> worst_jump(Operation operation, const std::vector<Family>& of) {
  std::pair<double, std::string> worst{1, ""};
  for (const Family& shapes : of) {
    for (std::size_t bytes = 8; bytes <= longest; bytes *= 8) {
      CostOfCall before = with_cost(operation, shapes.front(), bytes);
      for (std::size_t next = 1; next < shapes.size(); ++next) {
        // Blocks are of whole bytes: of shorter messages lengths would differ.
        const auto nodes = static_cast<std::size_t>(shapes[next].nodes());
        if (has_blocks(operation) && bytes < 8 * nodes) break;
        CostOfCall now = with_cost(operation, shapes[next], bytes);
        const double jump =
            std::max(now.per_bound / before.per_bound, before.per_bound / now.per_bound);
        if (jump > worst.first)
          worst = {jump, std::to_string(bytes) + " bytes: " + before.how + ", " + now.how};
        before = std::move(now);
      }
      if (operation == Operation::barrier) break;
    }
  }
  return worst;
}

class CostCliffs : public testing::TestWithParam<Operation> {};

TEST_P(CostCliffs, AreNoneBetweenNeighbours) {
  const auto [jump, where] = worst_jump(GetParam(), families());
  RecordProperty("largest_jump", std::to_string(jump));
  RecordProperty("where", where);
  // Of 31x31x31 and 32x32x32: prime extents go round rings first.
  EXPECT_LT(jump, GetParam() == Operation::allreduce ? 1.31 : 1.3) << where;
}

INSTANTIATE_TEST_SUITE_P(Of, CostCliffs,
                         testing::Values(Operation::barrier, Operation::broadcast,
                                         Operation::reduce, Operation::allreduce,
                                         Operation::allgather, Operation::reduce_scatter,
                                         Operation::alltoall));

}  // namespace cost_cliffs_test
}  // namespace cuboid::detail
