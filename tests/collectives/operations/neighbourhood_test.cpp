#include <cuboid/neighbourhood.hpp>

#include "tests/collectives/on_ranks.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {
namespace neighbourhood_test {

TEST(Neighbourhood, OnAGridWhatIsSentDownwardsComesFromAbove) {
  on_worlds([](Communicator& c) {
    for (const bool wraps : {false, true}) {
      std::vector<Shape> grids = {Shape({{c.size(), wraps}})};
      if (c.size() % 2 == 0) grids.push_back(Shape({{2, true}, {c.size() / 2, wraps}}));
      for (const Shape& grid : grids) {
        const Neighbourhood around = Neighbourhood::grid(grid, c.rank());
        const std::size_t sides = around.sources().size();
        std::vector<int> input;
        for (std::size_t side = 0; side < sides; ++side)
          input.push_back(100 * c.rank() + static_cast<int>(side));
        std::vector<int> output(sides, -7);
        neighbour_alltoall(c, around, input, output);
        for (std::size_t side = 0; side < sides; ++side) {
          const int from = around.sources()[side].rank;
          const int opposite = static_cast<int>(side ^ 1U);
          const int expected = from == Neighbourhood::nobody ? -7 : 100 * from + opposite;
          require(output[side] == expected, "{}: side {}: {} instead of {}", grid.to_string(), side,
                  output[side], expected);
        }
        std::vector<double> gathered(3 * sides, -1.0);
        const std::vector<double> mine(3, c.rank());
        CollectivePlan plan = plan_neighbour_allgather(c, around, mine, gathered);
        for (int run = 0; run < 2; ++run) plan.run();
        for (std::size_t side = 0; side < sides; ++side)
          require(gathered[3 * side + 2] == around.sources()[side].rank, "all-gather");
      }
    }
  });
}

// Rank r sends to r + 1 twice and to itself once, r + 1 elements in the first block, one in others.
TEST(Neighbourhood, OnAGraphBlocksMatchInTheirOrder) {
  on_worlds([](Communicator& c) {
    const int next = (c.rank() + 1) % c.size();
    const int previous = (c.rank() + c.size() - 1) % c.size();
    const std::vector<int> sources = {c.rank(), previous, previous};
    const std::vector<int> destinations = {next, c.rank(), next};
    const Neighbourhood graph = Neighbourhood::graph(sources, destinations);
    std::vector<int> input = {10 * c.rank(), 10 * c.rank() + 1, 10 * c.rank() + 2};
    std::vector<int> output(3);
    start_neighbour_alltoall(c, graph, input, output).wait();
    if (c.size() == 1) {
      require(output == input, "alone, the k-th block sent is the k-th received");
      return;
    }
    require(output == std::vector<int>{10 * c.rank() + 1, 10 * previous, 10 * previous + 2},
            "the wrong block arrived");
    const auto mine = static_cast<std::size_t>(c.rank()) + 1;
    const auto theirs = static_cast<std::size_t>(previous) + 1;
    std::vector<int> long_input(mine + 2, c.rank());
    std::vector<int> long_output(theirs + 2, -1);
    const std::vector<std::size_t> sent = {mine, 1, 1};
    const std::vector<std::size_t> received = {1, theirs, 1};
    neighbour_alltoallv(c, graph, long_input, {sent}, long_output, {received});
    require(long_output.front() == c.rank() && long_output.back() == previous, "v-form");
  });
}

TEST(Neighbourhood, WrongArgumentsAreRefused) {
  on_worlds(
      [](Communicator& c) {
        const std::vector<int> stranger = {c.size()};
        std::vector<int> one(1);
        std::vector<int> two(2);
        require_error([&] { neighbour_allgather(c, Neighbourhood::graph(stranger, {}), one, two); },
                      ErrorCode::invalid_argument, {"neighbour"});
        require_error(
            [&] {
              neighbour_allgather(c, Neighbourhood::graph({}, stranger), one, std::span<int>());
            },
            ErrorCode::invalid_argument, {"is not in this communicator"});
      },
      {2});
}

}  // namespace neighbourhood_test
}  // namespace cuboid::detail
