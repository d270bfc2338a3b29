// Plans for a board: every one passes the checker, which refuses those that lack something.

#include <cuboid/error.hpp>

#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/checker.hpp"
#include "collectives/schedules/slices.hpp"
#include "collectives/types/board_layout.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace board_schedule_test {

struct NamedPlan {
  std::string name;
  BoardPlan plan;
  Conditions conditions;
};

constexpr std::size_t element = 8;

Conditions alltoall_of(int ranks, std::size_t bytes) {
  Conditions conditions{ranks, {}};
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to)
      conditions.blocks.push_back({{conditions.blocks.size() * bytes, bytes}, from, to});
  }
  return conditions;
}

std::vector<NamedPlan> plans(int ranks, int root, std::size_t elements) {
  const std::size_t bytes = elements * element;
  std::vector<std::size_t> blocks;
  for (int rank = 0; rank < ranks; ++rank)
    blocks.push_back((elements + static_cast<std::size_t>(rank) % 3) * element);
  const auto parts = static_cast<std::size_t>(ranks);
  const BoardPlan whole{.ranks = ranks};
  const BoardPlan lanes{.ranks = ranks, .lane_per_rank = true};
  const BoardPlan by_parts{.ranks = ranks, .by_parts = true};
  return {{"barrier", whole, {ranks, {}}},
          {"broadcast", whole, Conditions::broadcast(ranks, bytes, root)},
          {"reduce", whole, Conditions::reduce(ranks, bytes, root)},
          {"reduce by parts", by_parts,
           in_pieces(Conditions::reduce(ranks, bytes, root), parts, element)},
          {"allreduce", whole, Conditions::allreduce(ranks, bytes)},
          {"allreduce by parts", by_parts,
           in_pieces(Conditions::allreduce(ranks, bytes), parts, element)},
          {"allgather", whole, Conditions::allgather(blocks)},
          {"reduce_scatter", lanes, Conditions::reduce_scatter(blocks)},
          {"alltoall", lanes, alltoall_of(ranks, bytes)}};
}

std::string refusal_of(const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    return error.what();
  }
  ADD_FAILURE() << "passed the checker";
  return "";
}

TEST(BoardPlan, PassesTheChecker) {
  for (const int ranks : {2, 3, 5, 8, 12, 16}) {
    for (const int root : {0, ranks / 2, ranks - 1}) {
      for (const std::size_t elements : {0, 1, 3, 1000, 30000}) {
        for (const NamedPlan& one : plans(ranks, root, elements)) {
          for (const std::size_t segment : {longest_segment(one.plan), std::size_t{1024}}) {
            if (segment > longest_segment(one.plan)) continue;
            EXPECT_NO_THROW(check(one.plan, one.conditions, {.segment_bytes = segment}))
                << one.name << ", " << ranks << " ranks, root " << root << ", " << elements
                << " elements, segments of " << segment;
          }
        }
      }
    }
  }
}

// The same schedule without one of the steps' dependencies.
Schedule without_dependency(const Schedule& schedule, std::size_t number) {
  ScheduleBuilder builder;
  for (const Step& step : schedule.steps) builder.add(step, {});
  std::size_t seen = 0;
  for (StepId step = 0; step < schedule.steps.size(); ++step) {
    for (auto i = schedule.first_successor[step]; i < schedule.first_successor[step + 1]; ++i) {
      if (seen++ != number) builder.depend(schedule.successors[i], step);
    }
  }
  builder.take_rows(schedule.board_rows);
  Schedule changed = std::move(builder).finish();
  changed.repetitions = schedule.repetitions;
  return changed;
}

// Each dependency is there for a reason: that what is read is there, or nothing is written over.
TEST(BoardChecker, RefusesASchedulesWithoutOneOfItsDependencies) {
  constexpr int ranks = 3;
  constexpr std::size_t segment = 1024;
  for (const NamedPlan& one : plans(ranks, 1, 10 * segment / element)) {
    if (one.conditions.blocks.empty()) continue;
    const auto schedules = compile_for_all(one.plan, one.conditions, {.segment_bytes = segment});
    std::size_t refused = 0, all = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for (std::size_t number = 0; number < schedules[rank].successors.size(); ++number, ++all) {
        auto changed = schedules;
        changed[rank] = without_dependency(schedules[rank], number);
        try {
          check_on_board(std::move(changed), one.conditions);
        } catch (const Error&) {
          ++refused;
        }
      }
    }
    // Some only keep the order in which a rank turns to things.
    EXPECT_GT(refused, all / 2) << one.name;
  }
}

TEST(BoardChecker, SaysWhatIsMissing) {
  constexpr int ranks = 2;
  const Conditions conditions = Conditions::broadcast(ranks, 100, 0);
  const auto schedules = compile_for_all({.ranks = ranks}, conditions, {.segment_bytes = 100});
  const auto without = [&](std::size_t rank, Step::Kind kind) {
    auto changed = schedules;
    ScheduleBuilder builder;
    StepId last = ScheduleBuilder::none;
    for (const Step& step : schedules[rank].steps) {
      if (step.kind != kind) last = builder.add(step, {last});
    }
    builder.take_rows(1);
    changed[rank] = std::move(builder).finish();
    return refusal_of([&] { check_on_board(changed, conditions); });
  };
  EXPECT_NE(without(0, Step::Kind::claim).find("without having claimed"), std::string::npos);
  EXPECT_NE(without(0, Step::Kind::publish).find("waits for ever"), std::string::npos);
  EXPECT_NE(without(1, Step::Kind::acknowledge).find("acknowledge"), std::string::npos);
  EXPECT_NE(without(1, Step::Kind::await).find("without waiting"), std::string::npos);
  EXPECT_NE(without(1, Step::Kind::copy).find("does not arrive"), std::string::npos);
}

TEST(BoardChecker, RefusesABarrierThatSomebodyLeavesEarly) {
  const Conditions nothing{3, {}};
  auto schedules = compile_for_all({.ranks = 3}, nothing, {});
  ScheduleBuilder builder;
  builder.add({.kind = Step::Kind::publish, .row = 0}, {});
  builder.add({.kind = Step::Kind::publish, .row = 1}, {0});
  builder.add({.kind = Step::Kind::acknowledge, .row = 1}, {1});
  builder.take_rows(2);
  schedules[2] = std::move(builder).finish();
  EXPECT_NE(refusal_of([&] { check_on_board(schedules, nothing); }).find("does not hear"),
            std::string::npos);
}

}  // namespace board_schedule_test
}  // namespace cuboid::detail
