// All ranks of large tori plan their own parts, which then run against each other in a world
// without network.

#include "collectives/butterflies/fold.hpp"
#include "collectives/selection/plan_for_rank.hpp"
#include "collectives/selection/selection.hpp"
#include "tests/collectives/by_asking.hpp"
#include "tests/collectives/schedules/fake_world.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace large_worlds_test {

using Element = std::uint32_t;
using Elements = std::vector<Element>;

GroupCostModel on(const Shape& shape) {
  GroupCostModel cost_model{GroupNodes::apart(static_cast<int>(shape.nodes())),
                            {.alpha = 1.6e-6, .beta = 1 / 375e6},
                            {.alpha = 1e-6, .beta = 1 / 13.6e9}};
  cost_model.nodes.shape = shape;
  return cost_model;
}

Collective call_of(Operation operation, int ranks, std::size_t count) {
  Collective call{.operation = operation, .type = Datatype::Kind::uint32, .count = count};
  if (operation != Operation::allgather && operation != Operation::broadcast &&
      operation != Operation::barrier && operation != Operation::gather &&
      operation != Operation::scatter && operation != Operation::alltoall)
    call.reduction = Reduction::Kind::sum;
  call.root = has_blocks(operation) ? 0 : ranks / 3;
  call.equal_blocks = operation == Operation::alltoall;
  if (operation == Operation::allgather || call.equal_blocks)
    call.output_blocks = BlockList::equal(ranks, count);
  if (operation == Operation::reduce_scatter || call.equal_blocks)
    call.input_blocks = BlockList::equal(ranks, count);
  return call;
}

// The root of a gather or a scatter passes everybody's blocks.
Collective call_of_rank(Collective call, int ranks, int rank) {
  if (rank != call.root) return call;
  if (call.operation == Operation::gather) call.output_blocks = BlockList::equal(ranks, call.count);
  if (call.operation == Operation::scatter) call.input_blocks = BlockList::equal(ranks, call.count);
  return call;
}

Element contribution(int rank, std::size_t place) {
  return static_cast<Element>(rank) * 31 + static_cast<Element>(place) * 7;
}

Element sum_up_to(int ranks, std::size_t place) {
  Element sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += contribution(rank, place);
  return sum;
}

// What a rank must end with; nothing where that is nobody's concern.
Elements expected(const Collective& call, int ranks, int rank) {
  Elements elements;
  const auto count = call.count;
  switch (call.operation) {
    case Operation::broadcast:
      for (std::size_t i = 0; i < count; ++i) elements.push_back(contribution(call.root, i));
      break;
    case Operation::reduce:
      if (rank != call.root) break;
      [[fallthrough]];
    case Operation::allreduce:
      for (std::size_t i = 0; i < count; ++i) elements.push_back(sum_up_to(ranks, i));
      break;
    case Operation::scan:
      for (std::size_t i = 0; i < count; ++i) elements.push_back(sum_up_to(rank + 1, i));
      break;
    case Operation::exscan:
      for (std::size_t i = 0; rank > 0 && i < count; ++i) elements.push_back(sum_up_to(rank, i));
      break;
    case Operation::scatter:
      for (std::size_t i = 0; i < count; ++i)
        elements.push_back(contribution(call.root, static_cast<std::size_t>(rank) * count + i));
      break;
    case Operation::gather:
      if (rank != call.root) break;
      [[fallthrough]];
    case Operation::allgather:
      for (int from = 0; from < ranks; ++from) {
        for (std::size_t i = 0; i < count; ++i) elements.push_back(contribution(from, i));
      }
      break;
    case Operation::alltoall:
      for (int from = 0; from < ranks; ++from) {
        for (std::size_t i = 0; i < count; ++i)
          elements.push_back(contribution(from, static_cast<std::size_t>(rank) * count + i));
      }
      break;
    case Operation::reduce_scatter:
      for (std::size_t i = 0; i < count; ++i)
        elements.push_back(sum_up_to(ranks, static_cast<std::size_t>(rank) * count + i));
      break;
    default: break;
  }
  return elements;
}

struct World {
  std::vector<Elements> inputs;
  std::vector<Elements> outputs;
  std::vector<RankMemory> memory;
};

World world_of(const Collective& call, int ranks) {
  World world;
  const auto all = static_cast<std::size_t>(ranks) * call.count;
  for (int rank = 0; rank < ranks; ++rank) {
    const bool is_root = rank == call.root;
    const bool exchanges_all = call.operation == Operation::alltoall;
    const bool sends_all = exchanges_all || call.operation == Operation::reduce_scatter ||
                           (call.operation == Operation::scatter && is_root);
    const bool gets_all = exchanges_all || call.operation == Operation::allgather ||
                          (call.operation == Operation::gather && is_root);
    Elements& input = world.inputs.emplace_back(sends_all ? all : call.count);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = contribution(rank, i);
    world.outputs.emplace_back(gets_all ? all : call.count);
    if (call.operation == Operation::broadcast && rank == call.root) world.outputs.back() = input;
  }
  for (std::size_t rank = 0; rank < world.inputs.size(); ++rank) {
    world.memory.push_back({std::as_writable_bytes(std::span(world.inputs[rank])),
                            std::as_writable_bytes(std::span(world.outputs[rank]))});
  }
  return world;
}

void expect_right(const Shape& shape, const Collective& call, const Choice& choice) {
  const GroupCostModel cost_model = on(shape);
  const int ranks = cost_model.ranks();
  std::vector<Schedule> programs;
  CombineFunction combine;
  for (int rank = 0; rank < ranks; ++rank) {
    PlannedCollective planned =
        plan_for_rank(call_of_rank(call, ranks, rank), cost_model, rank, choice);
    programs.push_back(std::move(planned.schedule));
    combine = std::move(planned.combine);
  }
  World world = world_of(call, ranks);
  FakeWorld fake(std::move(programs), world.memory, combine, sizeof(Element));
  EXPECT_EQ(fake.run(Sending::some_time_later, 7), "") << describe(choice);
  for (int rank = 0; rank < ranks; ++rank) {
    const Elements wanted = expected(call, ranks, rank);
    if (wanted.empty()) continue;
    ASSERT_EQ(world.outputs[static_cast<std::size_t>(rank)], wanted)
        << describe(choice) << ", rank " << rank;
  }
}

// By buckets, an all-gather or reduce-scatter whose blocks lie one after another.
void expect_blocks_right(const Collective& call, const GroupCostModel& cost_model) {
  const Algorithm& bucket = *find_algorithm("bucket");
  const bool gathers = call.operation == Operation::allgather;
  const BlockList& blocks = gathers ? call.output_blocks : call.input_blocks;
  const int ranks = cost_model.ranks();
  const std::size_t all = blocks.total();
  Settings settings = bucket.settings({call, cost_model}).front();
  settings.pipelining.segment_bytes = 64;
  std::vector<Schedule> programs;
  CombineFunction combine;
  World world;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::size_t count = blocks.count(static_cast<std::size_t>(rank));
    Collective mine = call;
    mine.count = count;
    PlannedCollective planned = plan_for_rank(mine, cost_model, rank, {&bucket, settings});
    programs.push_back(std::move(planned.schedule));
    combine = std::move(planned.combine);
    Elements& input = world.inputs.emplace_back(gathers ? count : all);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = contribution(rank, i);
    world.outputs.emplace_back(gathers ? all : count);
  }
  for (std::size_t rank = 0; rank < world.inputs.size(); ++rank) {
    world.memory.push_back({std::as_writable_bytes(std::span(world.inputs[rank])),
                            std::as_writable_bytes(std::span(world.outputs[rank]))});
  }
  FakeWorld fake(std::move(programs), world.memory, combine, sizeof(Element));
  EXPECT_EQ(fake.find_race(), "");
  EXPECT_EQ(fake.run(Sending::some_time_later, 7), "");
  for (int rank = 0; rank < ranks; ++rank) {
    const auto own = static_cast<std::size_t>(rank);
    Elements wanted;
    if (gathers) {
      for (int from = 0; from < ranks; ++from) {
        for (std::size_t i = 0; i < blocks.count(static_cast<std::size_t>(from)); ++i)
          wanted.push_back(contribution(from, i));
      }
    } else {
      for (std::size_t i = 0; i < blocks.count(own); ++i)
        wanted.push_back(sum_up_to(ranks, blocks.displacement(own) + i));
    }
    ASSERT_EQ(world.outputs[own], wanted)
        << cost_model.nodes.shape->to_string() << ", rank " << rank;
  }
}

// As selection has them: rounds for short messages, trees for long ones.
TEST(LargeWorlds, DoWhatTheyHaveTo) {
  const Shape shape = Shape::torus(std::vector{16, 16, 16});
  for (const Operation operation :
       {Operation::barrier, Operation::broadcast, Operation::reduce, Operation::allreduce,
        Operation::scan, Operation::exscan, Operation::gather, Operation::scatter}) {
    const std::size_t count = operation == Operation::barrier ? 0 : 3;
    const Collective call = call_of(operation, 4096, count);
    expect_right(shape, call, select(call, on(shape)));
  }
  const Collective longer = call_of(Operation::broadcast, 4096, 3000);
  expect_right(shape, longer, select(longer, on(shape)));
}

// A block from or for every rank, in few steps.
TEST(LargeWorlds, GatherScatterAndExchangeBlocks) {
  const Shape shape = Shape::torus(std::vector{16, 16, 16});
  for (const Operation operation : {Operation::allgather, Operation::reduce_scatter}) {
    const Collective call = call_of(operation, 4096, 1);
    expect_right(shape, call, select(call, on(shape)));
  }
  const Shape smaller = Shape::torus(std::vector{8, 8, 16});
  const Collective call = call_of(Operation::alltoall, 1024, 1);
  expect_right(smaller, call, select(call, on(smaller)));
}

Schedule schedule_of(const Collective& call, const GroupCostModel& cost_model, const char* name) {
  const Algorithm& algorithm = *find_algorithm(name);
  const Choice estimate = by_asking({call, cost_model}, algorithm).value();
  return plan_for_rank(call, cost_model, 77, {&algorithm, estimate.settings, estimate.seconds})
      .schedule;
}

// What all blocks of a line, or of a plane, have in common is a step, not one for each.
TEST(LargeWorlds, PlansDoNotListEveryBlock) {
  const Shape shape = Shape::torus(std::vector{16, 16, 16});
  const GroupCostModel cost_model = on(shape);
  struct Case {
    Operation operation;
    const char* algorithm;
  };
  for (const auto& [operation, name] :
       {Case{Operation::allgather, "bucket"}, Case{Operation::reduce_scatter, "bucket"},
        Case{Operation::alltoall, "torus_bruck"}}) {
    const Schedule schedule = schedule_of(call_of(operation, 4096, 30), cost_model, name);
    EXPECT_LT(schedule.steps.size(), 4096U) << name << " of " << to_string(operation);
  }
}

// Nor does it on a quarter of a million nodes, where 1.6 million pieces of blocks travel.
TEST(LargeWorlds, PlansOfManyNodesAreSmall) {
  const Shape shape = Shape::torus(std::vector{64, 64, 64});
  const GroupCostModel cost_model = on(shape);
  struct Case {
    Operation operation;
    std::size_t count;
    const char* algorithm;
    std::size_t most_steps;
    std::size_t most_bytes;
  };
  for (const Case& one : {Case{Operation::allgather, 64, "bucket", 4096, 1 << 20},
                          Case{Operation::reduce_scatter, 64, "bucket", 8192, 2 << 20},
                          Case{Operation::alltoall, 1, "torus_bruck", 6144, 2 << 20},
                          Case{Operation::alltoall, 64, "torus_bruck", 16384, 4 << 20},
                          Case{Operation::alltoall, 1024, "torus_bruck", 16384, 4 << 20}}) {
    const Schedule schedule =
        schedule_of(call_of(one.operation, 262144, one.count), cost_model, one.algorithm);
    const std::size_t bytes = schedule.steps.size() * (sizeof(Step) + 2 * sizeof(StepId)) +
                              schedule.successors.size() * sizeof(StepId) +
                              schedule.repetitions.size() * sizeof(Repetition);
    EXPECT_LT(schedule.steps.size(), one.most_steps) << one.algorithm;
    EXPECT_LT(bytes, one.most_bytes) << one.algorithm;
  }
}

// However long the call is, no rank exchanges messages with all others.
TEST(LargeWorlds, ChoicesForManyNodesHaveFewMessages) {
  const Shape shape = Shape::torus(std::vector{64, 64, 64});
  const GroupCostModel cost_model = on(shape);
  for (const Operation operation : {Operation::broadcast, Operation::reduce, Operation::allgather,
                                    Operation::reduce_scatter, Operation::alltoall}) {
    const Collective call = call_of(operation, cost_model.ranks(), 512);
    const Choice choice = select(call, cost_model);
    for (const int rank : {0, 77}) {
      const Schedule schedule = plan_for_rank(call, cost_model, rank, choice).schedule;
      const auto received = std::ranges::count(schedule.steps, Step::Kind::receive, &Step::kind);
      EXPECT_LT(received, 32'768) << describe(choice) << " of " << to_string(operation);
    }
  }
}

// Blocks of other lengths, and ranks on nodes in another order, have plans that list pieces; equal
// blocks in order have not. All do the same.
TEST(LargeWorlds, GatherAndScatterBlocksOfAnyLengthInAnyOrder) {
  for (const char* spec :
       {"torus:6x5", "torus:3x4x5", "mesh:3x7", "torus:2x2x3", "torus:4,mesh:5"}) {
    const Shape shape = parse_shape(spec).shape;
    for (const Operation operation : {Operation::allgather, Operation::reduce_scatter}) {
      for (const bool in_order : {true, false}) {
        for (const std::size_t longer : {0, 3}) {
          GroupCostModel cost_model = on(shape);
          auto& ranks_of_node = cost_model.nodes.ranks_of_node;
          if (!in_order) std::ranges::rotate(ranks_of_node, ranks_of_node.begin() + 2);
          const int ranks = cost_model.ranks();
          Collective call = call_of(operation, ranks, 7);
          BlockList& blocks =
              operation == Operation::allgather ? call.output_blocks : call.input_blocks;
          std::vector<std::size_t> counts = blocks.counts();
          for (std::size_t rank = 0; rank < counts.size(); ++rank)
            counts[rank] += rank % 4 * longer;
          blocks = BlockList::adjacent(std::move(counts));
          expect_blocks_right(call, cost_model);
        }
      }
    }
  }
}

// Every rank of these knows all blocks.
TEST(LargeWorlds, GatherAndScatterInBuckets) {
  const Shape shape = Shape::torus(std::vector{6, 8, 8});
  const Algorithm& bucket = *find_algorithm("bucket");
  for (const Operation operation :
       {Operation::allgather, Operation::reduce_scatter, Operation::allreduce}) {
    const GroupCostModel cost_model = on(shape);
    const Collective call = call_of(operation, 384, operation == Operation::allreduce ? 2500 : 7);
    const Choice estimate = by_asking({call, cost_model}, bucket).value();
    expect_right(shape, call, {&bucket, estimate.settings, estimate.seconds});
  }
}

TEST(LargeWorlds, FewStepsAlongAxesOfAnyExtents) {
  for (const char* spec :
       {"torus:5x6x7", "torus:12x16", "mesh:9x4", "torus:15,mesh:6", "torus:2x3", "torus:13x17"}) {
    const Shape shape = parse_shape(spec).shape;
    const GroupCostModel cost_model = on(shape);
    for (const std::size_t count : {std::size_t{1}, std::size_t{40}, std::size_t{5000}}) {
      for (const Operation operation :
           {Operation::allreduce, Operation::broadcast, Operation::reduce}) {
        const Collective call = call_of(operation, cost_model.ranks(), count);
        const Algorithm& algorithm =
            *find_algorithm(operation == Operation::allreduce ? "swing" : "scatter_allgather");
        const Choice estimate = by_asking({call, cost_model}, algorithm).value();
        expect_right(shape, call, {&algorithm, estimate.settings, estimate.seconds});
      }
    }
  }
}

// Who meets whom in groups of 30,011 would fill gigabytes.
TEST(LargeWorlds, SwingFoldsALargePrime) {
  const Shape shape = Shape::torus(std::vector{30011});
  const GroupCostModel cost_model = on(shape);
  const Collective call = call_of(Operation::allreduce, cost_model.ranks(), 10);
  const auto estimate = by_asking({call, cost_model}, *find_algorithm("swing"));
  ASSERT_TRUE(estimate);
  EXPECT_NE(estimate->settings.folding, Folding{});
}

// Every position beyond a core hands over to a neighbour within, and no two to the same one; the
// first two of a pair are neighbours.
TEST(LargeWorlds, CoresAreSpreadEvenly) {
  for (int extent = 3; extent <= 70; ++extent) {
    for (int core = 2 * (extent / 4) + 2; core < extent; core += 2) {
      for (const bool wraps : {false, true}) {
        for (const int direction : {+1, -1}) {
          const CoreLine line({extent, wraps}, core, direction);
          std::vector<int> taken(static_cast<std::size_t>(extent), 0);
          for (int position = 0; position < extent; ++position) {
            const int onto = line.onto(position);
            if (onto == position) continue;
            const int distance = std::abs(onto - position);
            EXPECT_TRUE(distance == 1 || (wraps && distance == extent - 1))
                << position << " to " << onto << ", " << core << " of " << extent;
            EXPECT_FALSE(line.is_surplus(onto));
            EXPECT_EQ(++taken[static_cast<std::size_t>(onto)], 1) << core << " of " << extent;
          }
          EXPECT_EQ(std::accumulate(taken.begin(), taken.end(), 0), extent - core);
          for (int index = 0; index < core; ++index) {
            EXPECT_FALSE(line.is_surplus(line.position(index)));
            if (index % 2 == 1) {
              EXPECT_EQ(std::abs(line.position(index) - line.position(index - 1)), 1);
            }
          }
        }
      }
    }
  }
}

// Whatever would be chosen: every way to fold, and steps that scatter or do not.
TEST(LargeWorlds, SwingWithFoldedAxes) {
  const Algorithm& swing = *find_algorithm("swing");
  for (const char* spec : {"torus:5x6x3", "torus:5x5x5", "torus:11x7", "mesh:7x5", "torus:3,mesh:6",
                           "torus:23", "torus:9x17"}) {
    const Shape shape = parse_shape(spec).shape;
    const Collective call = call_of(Operation::allreduce, on(shape).ranks(), 300);
    for (const int digits : {1, 2, 3}) {
      for (const Folding& folding :
           {Folding{digits, FoldTime::at_once}, Folding{digits, FoldTime::at_once, 1, 1},
            Folding{digits, FoldTime::at_once, 1, 2}, Folding{digits, FoldTime::overlapped},
            Folding{digits, FoldTime::overlapped, 2}, Folding{digits, FoldTime::overlapped, 3},
            Folding{.digits = digits, .one_way = true}, Folding{.in_turns = true},
            Folding{digits, FoldTime::at_once, 1, 1, 2},
            Folding{digits, FoldTime::at_once, 1, 2, 3},
            Folding{digits, FoldTime::at_once, 1, 3, 2}}) {
        const auto butterflies = swing_butterflies(shape, folding);
        int least = 0, steps = 0;
        for (const Butterfly& butterfly : butterflies) {
          least = std::max(least, butterfly.least_scatter_steps());
          steps = std::max(steps, butterfly.length());
        }
        for (const int more : {0, 3}) {
          Settings settings;
          settings.folding = folding;
          settings.colours = static_cast<int>(butterflies.size());
          settings.scatter_steps = std::min(least + more, steps);
          expect_right(shape, call, {&swing, settings, 0});
        }
      }
    }
  }
}

TEST(LargeWorlds, SwingWithAFirstStepOfFour) {
  const Algorithm& swing = *find_algorithm("swing");
  for (const char* spec : {"torus:4x4", "torus:8x4x8", "torus:16", "mesh:8x4", "torus:3x8"}) {
    const Shape shape = parse_shape(spec).shape;
    const Collective call = call_of(Operation::allreduce, on(shape).ranks(), 300);
    const Folding folding{.first_of_four = true};
    const auto butterflies = swing_butterflies(shape, folding);
    for (const int scatter_steps : {3, 4}) {
      Settings settings;
      settings.folding = folding;
      settings.colours = static_cast<int>(butterflies.size());
      settings.scatter_steps = scatter_steps;
      expect_right(shape, call, {&swing, settings, 0});
    }
  }
}

}  // namespace large_worlds_test
}  // namespace cuboid::detail
