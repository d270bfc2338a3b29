// Every algorithm on the real engine, ranks being threads, on networks that are only stated.

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/selection/selection.hpp"
#include "tests/collectives/operations/calls.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace cuboid::detail {
namespace algorithms_test {

constexpr std::size_t count = 20000;

GroupCostModel cost_model_of(const GroupNodes& nodes) {
  return {nodes, {30e-6, 1e-8}, {1e-6, 2e-10}};
}

// The same ranks, taken to be on these nodes.
Communicator placed(const Communicator& c, const GroupNodes& nodes) {
  const Communicator::State& state = c.state();
  return Communicator(std::make_shared<Communicator::State>(
      Communicator::State{state.engine, state.group, cost_model_of(nodes), {}, {}}));
}

// Two ranks on each node of a ring, the last node maybe one.
GroupNodes pairs_on_ring(int ranks) {
  GroupNodes group;
  for (int rank = 0; rank < ranks; rank += 2) {
    group.ranks_of_node.push_back({rank});
    if (rank + 1 < ranks) group.ranks_of_node.back().push_back(rank + 1);
  }
  group.shape = Shape({{group.nodes(), true}});
  return group;
}

std::vector<GroupNodes> networks(int ranks) {
  std::vector<GroupNodes> networks = {GroupNodes::one_node(ranks), pairs_on_ring(ranks)};
  if (ranks == 12) {
    networks.push_back(GroupNodes::apart(ranks));
    networks.back().shape = Shape({{4, true}, {3, false}});
  }
  if (ranks == 5 || ranks == 8) {
    networks.push_back(GroupNodes::apart(ranks));
    networks.back().shape = Shape({{ranks, true}});
  }
  return networks;
}

void check_operation(const Communicator& c, Operation operation, unsigned salt) {
  const int root = static_cast<int>(salt) % c.size();
  const Reduction sum = Reduction::Kind::sum;
  const auto share = count / static_cast<std::size_t>(c.size());
  switch (operation) {
    case Operation::barrier: return barrier(c);
    case Operation::broadcast: return check_broadcast<double>(c, count, root, salt);
    case Operation::reduce: return check_reduce<double>(c, count, root, sum, InPlace::no, salt);
    case Operation::allreduce: return check_allreduce<double>(c, count, sum, InPlace::yes, salt);
    case Operation::allgather: return check_allgather<double>(c, share, InPlace::yes, salt);
    case Operation::reduce_scatter:
      return check_reduce_scatter<double>(c, share, sum, InPlace::no, salt);
    case Operation::gather: return check_gather<double>(c, share, root, InPlace::no, salt);
    case Operation::scatter: return check_scatter<double>(c, share, root, InPlace::no, salt);
    case Operation::alltoall: return check_alltoall<double>(c, share, salt);
    case Operation::scan: return check_scan<double>(c, count, sum, InPlace::no, salt);
    case Operation::exscan: return check_exscan<double>(c, count, sum, InPlace::yes, salt);
  }
}

// An algorithm for an operation, as a rule for a communicator, on a network that it can serve.
struct Served {
  GroupNodes network;
  Operation operation;
  std::string rule;
};

std::vector<Served> all_served(int ranks) {
  std::vector<Served> all;
  for (const GroupNodes& network : networks(ranks)) {
    for (const Operation operation : every_operation) {
      const Collective call{
          .operation = operation, .count = count, .equal_blocks = operation == Operation::alltoall};
      for (const Choice& choice : choices(call, cost_model_of(network)))
        all.push_back(
            {network, operation, to_string(operation) + ":" + std::string(choice.algorithm->name)});
    }
  }
  return all;
}

TEST(EveryAlgorithm, ServesItsOperationsWhereItApplies) {
  for (const int ranks : {1, 2, 3, 5, 8, 12}) {
    const std::vector<Served> all = all_served(ranks);
    on_worlds(
        [&](Communicator& world) {
          unsigned salt = 0;
          for (const auto& [network, operation, rule] : all) {
            try {
              check_operation(placed(world, network).with_algorithms(rule), operation, ++salt);
            } catch (const std::exception& error) {
              throw Wrong(rule + ": " + error.what());
            }
          }
        },
        {ranks});
  }
}

TEST(WithAlgorithms, RefusesWhatThereIsNotAndWhatCannotServe) {
  on_worlds(
      [](Communicator& c) {
        require_error([&] { c.with_algorithms("broadcast:rectangle"); }, ErrorCode::parse,
                      {"rectangle", "give one of", "rectangular"});
        std::vector<int> numbers(10);
        const Communicator insisting = c.with_algorithms("broadcast:rectangular");
        require_error([&] { broadcast(insisting, numbers, 0); }, ErrorCode::unsupported,
                      {"rectangular cannot serve", "binomial"});
        check_broadcast<int>(c, 10, 0, 1);
        check_broadcast<int>(insisting.with_algorithms(""), 10, 0, 2);
      },
      {3});
}

TEST(AlgorithmVariable, IsRefusedWhenTheCommunicatorIsMadeAndHandedOnToItsParts) {
  Environment environment = Environment::read();
  environment.algorithm = "broadcast:chian";
  try {
    run_ranks(
        2, [](Communicator&) { throw Wrong("there is a communicator"); }, environment);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse);
    EXPECT_NE(std::string(error.what()).find("CUBOID_ALGORITHM"), std::string::npos);
  }
  environment.algorithm = "broadcast:chain";
  run_ranks(
      4,
      [](Communicator& c) {
        const Communicator half = c.split(c.rank() % 2);
        const Collective call{.operation = Operation::broadcast, .count = 8};
        const auto& state = half.state();
        require(select(call, state.cost_model, state.rules).algorithm->name == "chain",
                "the rule is lost");
        check_broadcast<int>(half, 10, 1, 1);
      },
      environment);
}

}  // namespace algorithms_test
}  // namespace cuboid::detail
