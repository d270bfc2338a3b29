#include "collectives/selection/selection.hpp"

#include <cuboid/error.hpp>

#include "collectives/selection/modelled_call.hpp"
#include "tests/collectives/blue_gene.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace selection_test {

constexpr Hockney ethernet{.alpha = 30e-6, .beta = 8e-8};
constexpr Hockney shared_memory{.alpha = 1e-6, .beta = 2e-10};
constexpr std::size_t megabyte = 1 << 20;

GroupCostModel on_torus(int extent, int ranks_per_node = 1) {
  GroupCostModel cost_model{{}, ethernet, shared_memory};
  for (int node = 0; node < extent * extent; ++node) {
    auto& ranks = cost_model.nodes.ranks_of_node.emplace_back();
    for (int rank = 0; rank < ranks_per_node; ++rank) ranks.push_back(node * ranks_per_node + rank);
  }
  cost_model.nodes.shape = Shape({{extent, true}, {extent, true}});
  return cost_model;
}

GroupCostModel on_hosts(int ranks) {
  return {GroupNodes::apart(ranks), ethernet, shared_memory};
}

Collective bytes_of(Operation operation, std::size_t bytes) {
  return {.operation = operation, .count = bytes};
}

Collective not_commuting(Operation operation, std::size_t bytes) {
  Collective collective = bytes_of(operation, bytes);
  collective.reduction =
      Reduction::user([](const void*, const void*, void*, std::size_t) {}, Commutative::no);
  return collective;
}

std::string chosen(const Collective& collective, const GroupCostModel& cost_model) {
  return std::string(select(collective, cost_model).algorithm->name);
}

std::string parse_error(const std::string& text) {
  try {
    AlgorithmRules::parse(text, "CUBOID_ALGORITHM");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse);
    return error.what();
  }
  return "";
}

TEST(Algorithms, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) {
    EXPECT_TRUE(names.insert(algorithm.name).second) << algorithm.name;
    EXPECT_EQ(find_algorithm(algorithm.name), &algorithm);
    EXPECT_FALSE(algorithm.operations.empty());
  }
  EXPECT_EQ(find_algorithm("no such"), nullptr);
}

// What straddled the border of two segments would never be combined.
TEST(Selection, SegmentsAreOfWholeElements) {
  using enum Operation;
  const GroupCostModel one_node{GroupNodes::one_node(9), ethernet, shared_memory};
  for (const GroupCostModel& on : {one_node, on_hosts(9), on_torus(3)}) {
    for (const Operation operation :
         {broadcast, reduce, allreduce, allgather, reduce_scatter, alltoall}) {
      Collective collective{.operation = operation, .type = Datatype::user(24), .count = 900000};
      const BlockList blocks = BlockList::equal(9, 100000);
      if (operation == allgather || operation == alltoall) collective.output_blocks = blocks;
      if (operation == reduce_scatter || operation == alltoall) collective.input_blocks = blocks;
      collective.equal_blocks = operation == alltoall;
      collective.reduction =
          Reduction::user([](const void*, const void*, void*, std::size_t) {}, Commutative::yes);
      const auto served = choices(collective, on);
      EXPECT_FALSE(served.empty());
      for (const Choice& choice : served) {
        EXPECT_EQ(choice.settings.pipelining.segment_bytes % 24, 0u)
            << choice.algorithm->name << " for " << to_string(operation);
      }
    }
  }
}

TEST(Selection, BlocksThatOnlyTheirOwnersKnowDecideNothing) {
  GroupCostModel on_a_node{GroupNodes::one_node(3), ethernet, shared_memory};
  GroupCostModel on_shared_cores = on_a_node;
  on_shared_cores.ranks_per_core = 1.5;
  for (const GroupCostModel& cost_model : {on_a_node, on_shared_cores, on_torus(3), on_hosts(3)}) {
    for (const Operation operation : {Operation::gather, Operation::scatter, Operation::alltoall}) {
      const Choice of_nothing = select(bytes_of(operation, 0), cost_model);
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{999}, 5 * megabyte}) {
        const Choice choice = select(bytes_of(operation, bytes), cost_model);
        EXPECT_EQ(choice.algorithm, of_nothing.algorithm);
        EXPECT_EQ(choice.settings.pipelining.segment_bytes,
                  of_nothing.settings.pipelining.segment_bytes)
            << to_string(operation) << " of " << bytes << " bytes";
      }
    }
  }
}

TEST(Selection, ShortMessagesTakeFewStepsAndLongOnesEveryLink) {
  // Sixteen short messages are begun while one is on its way: there and back in two steps.
  EXPECT_EQ(chosen(bytes_of(Operation::allreduce, 8), on_hosts(16)), "flat");
  EXPECT_EQ(chosen(bytes_of(Operation::allreduce, 16 * megabyte), on_hosts(16)), "ring");
  EXPECT_EQ(chosen(bytes_of(Operation::barrier, 0), on_torus(4)), "dissemination");
  for (const Operation operation : {Operation::broadcast, Operation::reduce})
    EXPECT_EQ(chosen(bytes_of(operation, 16 * megabyte), on_torus(5)), "rectangular");
  EXPECT_EQ(chosen(bytes_of(Operation::allreduce, 16 * megabyte), on_torus(5)), "bucket");
  // Where extents are powers of two, few rounds of an all-reduce can keep every link busy, too.
  EXPECT_EQ(chosen(bytes_of(Operation::allreduce, megabyte / 64), on_torus(4)), "swing");
  EXPECT_NE(chosen(bytes_of(Operation::broadcast, 8), on_torus(8)), "rectangular");
}

// Every rank sends in every round: not where nodes share cores.
TEST(Selection, ShortBroadcastsAreScatteredWhereMessagesAreCheap) {
  const char* name = "scatter_allgather";
  for (const Operation operation : {Operation::broadcast, Operation::reduce}) {
    const Collective call = bytes_of(operation, 16 << 10);
    EXPECT_EQ(chosen(call, blue_gene(Shape::torus(std::vector{8, 8, 8}))), name);
    GroupCostModel shared = on_torus(8);
    shared.ranks_per_core = 8;
    EXPECT_NE(chosen(call, shared), name);
    const auto rules =
        AlgorithmRules::parse("broadcast:scatter_allgather,reduce:scatter_allgather", "a test");
    EXPECT_EQ(select(call, shared, rules).algorithm->name, name);
  }
}

// As in an emulated network: 16 nodes on two cores, and nothing was measured.
TEST(Selection, WhereNodesShareCoresFewMessagesWin) {
  GroupNodes nodes = GroupNodes::apart(16);
  nodes.shape = Shape({{4, true}, {4, true}});
  nodes.link_bytes_per_second = 1.25e8;
  const GroupCostModel apart = group_cost_model_of(nodes, 1, nullptr);
  const GroupCostModel together = group_cost_model_of(nodes, 8, nullptr);
  EXPECT_EQ(chosen(bytes_of(Operation::barrier, 0), apart), "dissemination");
  EXPECT_EQ(chosen(bytes_of(Operation::barrier, 0), together), "tree");
  for (const Operation operation : {Operation::allgather, Operation::reduce_scatter}) {
    EXPECT_NE(chosen(call_of(operation, 4096, 16), apart), "tree");
    EXPECT_EQ(chosen(call_of(operation, 4096, 16), together), "tree");
    EXPECT_EQ(chosen(call_of(operation, 64 << 10, 16), together), "torus_dissemination");
  }
  EXPECT_NE(chosen(bytes_of(Operation::broadcast, 2048), together), "rectangular");
  EXPECT_NE(chosen(bytes_of(Operation::allreduce, 128 << 10), together), "bucket");
}

TEST(Selection, AStreamTakesFewerAndLongerSegmentsOfTheSameAlgorithm) {
  GroupCostModel line{{}, ethernet, shared_memory};
  for (int node = 0; node < 4; ++node) line.nodes.ranks_of_node.push_back({node});
  line.nodes.shape = Shape({{4, true}});
  line.ranks_per_core = 8;
  Collective broadcast = bytes_of(Operation::broadcast, megabyte / 8);
  const Choice alone = select(broadcast, line);
  broadcast.stream_length = 12;
  const Choice in_stream = select(broadcast, line);
  EXPECT_EQ(in_stream.algorithm, alone.algorithm);
  EXPECT_EQ(in_stream.settings.colours, alone.settings.colours);
  EXPECT_GE(in_stream.settings.pipelining.segment_bytes,
            2 * alone.settings.pipelining.segment_bytes);
  EXPECT_LT(in_stream.settings.pipelining.segment_bytes, broadcast.count);
}

TEST(Selection, SharesLongMessagesAmongAllColoursAndRoots) {
  const Choice broadcast = select(bytes_of(Operation::broadcast, 16 * megabyte), on_torus(4));
  EXPECT_EQ(broadcast.settings.colours, 4);
  const double bound = 16.0 * megabyte * ethernet.beta / 4;
  EXPECT_GT(broadcast.seconds, bound);
  EXPECT_LT(broadcast.seconds, 1.05 * bound);

  const Choice allreduce = select(bytes_of(Operation::allreduce, 16 * megabyte), on_torus(5));
  const double allreduce_bound = 16.0 * megabyte * ethernet.beta * 2 * 24 / 25 / 4;
  EXPECT_GT(allreduce.seconds, allreduce_bound);
  EXPECT_LT(allreduce.seconds, 1.08 * allreduce_bound);
}

// Not even while links that soon will be busy still wait for the pipeline to fill.
TEST(Selection, PredictsNoMoreThanLinksCarry) {
  GroupCostModel cost_model = on_torus(4);
  cost_model.nodes.network =
      Network::of_shape(*cost_model.nodes.shape, std::vector(2, 1 / ethernet.beta));
  constexpr double links = 4, others = 15.0 / 16;
  for (const auto& [operation, least] : {std::pair(Operation::broadcast, 1.0),
                                         {Operation::reduce, 1.0},
                                         {Operation::allreduce, 2 * others}}) {
    for (const std::size_t bytes : {megabyte, 8 * megabyte, 16 * megabyte}) {
      const double bound = least * static_cast<double>(bytes) * ethernet.beta / links;
      for (const Choice& choice : choices(bytes_of(operation, bytes), cost_model))
        EXPECT_GT(choice.seconds, bound) << to_string(operation) << " by " << describe(choice);
    }
  }
}

TEST(Selection, FewerColoursForShortMessages) {
  const auto colours = [](std::size_t bytes) {
    const auto served = choices(bytes_of(Operation::broadcast, bytes), on_torus(8));
    const auto* rectangular = find_algorithm("rectangular");
    return std::ranges::find(served, rectangular, &Choice::algorithm)->settings.colours;
  };
  EXPECT_EQ(colours(8), 1);
  EXPECT_GT(colours(2048), 1);
  EXPECT_LT(colours(2048), 4);
  EXPECT_EQ(colours(4 * megabyte), 4);
}

// Handing on within the nodes goes on beside the network.
TEST(Selection, SeveralRanksPerNodeCostLittleMore) {
  const Collective broadcast = bytes_of(Operation::broadcast, 16 * megabyte);
  const Choice one = select(broadcast, on_torus(4));
  const Choice four = select(broadcast, on_torus(4, 4));
  EXPECT_EQ(four.algorithm->name, "rectangular");
  EXPECT_GT(four.seconds, one.seconds);
  EXPECT_LT(four.seconds, 1.03 * one.seconds);
}

TEST(Selection, KeepsRankOrderWhereAReductionNeedsIt) {
  for (const GroupCostModel& cost_model : {on_torus(4), on_hosts(7), on_torus(3, 2)}) {
    for (const Operation operation :
         {Operation::reduce, Operation::allreduce, Operation::reduce_scatter}) {
      const auto served = choices(not_commuting(operation, 4 * megabyte), cost_model);
      ASSERT_FALSE(served.empty());
      for (const Choice& choice : served) EXPECT_TRUE(choice.algorithm->keeps_rank_order);
    }
  }
}

// One rank may call in place and another not: a rank without elements cannot even tell.
TEST(Selection, IsTheSameInPlace) {
  for (const Operation operation : {Operation::allgather, Operation::allreduce}) {
    for (const std::size_t bytes : {std::size_t{48} << 10, megabyte}) {
      for (const GroupCostModel& cost_model : {on_torus(2), on_torus(1, 4), on_hosts(5)}) {
        Collective collective = bytes_of(operation, bytes);
        const auto apart = choices(collective, cost_model);
        collective.in_place = true;
        const auto in_place = choices(collective, cost_model);
        ASSERT_EQ(apart.size(), in_place.size());
        for (std::size_t i = 0; i < apart.size(); ++i) {
          EXPECT_EQ(apart[i].algorithm, in_place[i].algorithm);
          EXPECT_EQ(apart[i].seconds, in_place[i].seconds);
        }
      }
    }
  }
}

TEST(Selection, ListsEverythingTheCheapestFirst) {
  const auto served = choices(bytes_of(Operation::broadcast, megabyte), on_torus(4));
  EXPECT_GT(served.size(), 8U);
  EXPECT_TRUE(std::ranges::is_sorted(served, {}, &Choice::seconds));
  EXPECT_FALSE(describe(served.front()).empty());
}

TEST(Selection, FewRoundsForShortBlocksOfAnAllToAll) {
  Collective call = bytes_of(Operation::alltoall, 64 * 8);
  EXPECT_EQ(chosen(call, on_hosts(64)), "direct");  // of blocks that may be unequal
  call.equal_blocks = true;
  EXPECT_EQ(chosen(call, on_hosts(64)), "bruck");
  call.count = 64 * megabyte;
  EXPECT_EQ(chosen(call, on_hosts(64)), "direct");
}

TEST(Selection, ServesEveryOperationWhateverTheSize) {
  for (const Operation operation :
       {Operation::barrier, Operation::broadcast, Operation::reduce, Operation::allreduce,
        Operation::allgather, Operation::reduce_scatter, Operation::gather, Operation::scatter,
        Operation::alltoall}) {
    for (const int ranks : {1, 2, 3, 1000}) {
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 64 * megabyte}) {
        const Choice choice = select(bytes_of(operation, bytes), on_hosts(ranks));
        EXPECT_GE(choice.seconds, 0);
        EXPECT_GE(choice.settings.pipelining.segment_bytes, 1U);
      }
    }
  }
}

TEST(AlgorithmRules, TheFirstThatFitsIsFollowed) {
  const auto rules = AlgorithmRules::parse(
      "broadcast:1M-:chain,broadcast:4K-1M:binary,allreduce:-8:ring,broadcast:flat", "test");
  const auto name = [&](Operation operation, std::size_t bytes) {
    const Algorithm* demanded = rules.demanded(operation, bytes);
    return demanded == nullptr ? "" : std::string(demanded->name);
  };
  EXPECT_EQ(name(Operation::broadcast, 0), "flat");
  EXPECT_EQ(name(Operation::broadcast, 4095), "flat");
  EXPECT_EQ(name(Operation::broadcast, 4096), "binary");
  EXPECT_EQ(name(Operation::broadcast, megabyte), "chain");
  EXPECT_EQ(name(Operation::broadcast, megabyte - 1), "binary");
  EXPECT_EQ(name(Operation::allreduce, 8), "ring");
  EXPECT_EQ(name(Operation::allreduce, 9), "");
  EXPECT_EQ(name(Operation::reduce, 8), "");
}

TEST(AlgorithmRules, WrongOnesAreRefusedWithTheReasonAndTheNames) {
  EXPECT_NE(parse_error("broadcast:1M-:rectangle").find("\"rectangle\" for broadcast; give one of"),
            std::string::npos);
  EXPECT_NE(parse_error("broadcast:1M-:rectangle").find("rectangular"), std::string::npos);
  EXPECT_NE(parse_error("broadcast:recursive_doubling").find("binomial"), std::string::npos);
  EXPECT_NE(parse_error("brodcast:chain").find("give one of barrier, broadcast"),
            std::string::npos);
  EXPECT_NE(parse_error("broadcast:4k-:chain").find("\"4k\" is not a size"), std::string::npos);
  EXPECT_NE(parse_error("broadcast:99999999999G-:chain"), "");
  EXPECT_NE(parse_error("broadcast:4K:chain").find("not a range"), std::string::npos);
  EXPECT_NE(parse_error("broadcast:8-4:chain").find("ends before"), std::string::npos);
  for (const char* text : {"", ",", "broadcast", "broadcast:1-2:chain:4", "broadcast:chain,"})
    EXPECT_NE(parse_error(text), "") << text;
  EXPECT_NE(parse_error("broadcast:chain,reduce:x").find("CUBOID_ALGORITHM=\"broadcast:chain"),
            std::string::npos);
}

TEST(AlgorithmRules, OneThatCannotBeFollowed) {
  auto rules = AlgorithmRules::parse("broadcast:rectangular", "test");
  const Collective broadcast = bytes_of(Operation::broadcast, megabyte);
  EXPECT_EQ(select(broadcast, on_torus(3), rules).algorithm->name, "rectangular");
  const Choice named = select(broadcast, on_torus(3), rules);
  EXPECT_EQ(named.demanded, named.algorithm);
  EXPECT_EQ(select(broadcast, on_torus(3)).demanded, nullptr);
  const Choice another = select(broadcast, on_hosts(9), rules);
  EXPECT_EQ(another.demanded, find_algorithm("rectangular"));
  EXPECT_NE(another.algorithm, another.demanded);
  rules.insist();
  try {
    select(broadcast, on_hosts(9), rules);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("give one of"), std::string::npos);
  }
}

}  // namespace selection_test
}  // namespace cuboid::detail
