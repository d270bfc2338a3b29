// Compiles every schedule for all of its ranks and traces the schedules in a world without network:
// every message finds its receive, nothing is left over, nobody waits for ever, every byte ends
// where it must, whatever order things happen in.

#include "collectives/rounds/bruck.hpp"
#include "collectives/rounds/dissemination.hpp"
#include "collectives/rounds/tree_rounds.hpp"
#include "collectives/schedules/compile.hpp"
#include "collectives/selection/plan_for_rank.hpp"
#include "tests/collectives/operations/contributions.hpp"
#include "tests/collectives/schedules/fake_world.hpp"
#include "tests/collectives/schedules/schedules.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {
namespace schedule_test {

constexpr std::byte untouched{0xA5};

// How a rank's input and output lie in memory.
enum class Memory {
  apart,    // two buffers
  gaps,     // two buffers, gaps between the blocks
  same,     // one buffer, called output
  aliased,  // one buffer, called input or output according to what is meant
};
constexpr Memory memories[] = {Memory::apart, Memory::gaps, Memory::same, Memory::aliased};

// What blocks are made of.
struct Content {
  std::size_t element_bytes;
  // Writes rank `rank`'s contribution to elements first, first + 1, … of the message.
  std::function<void(int rank, std::size_t first, std::span<std::byte>)> contribution;
  // Writes what all ranks' contributions to them combine to.
  std::function<void(int ranks, std::size_t first, std::span<std::byte>)> result;
  CombineFunction combine;
};

Content plain_bytes() {
  const auto write = [](int rank, std::size_t first, std::span<std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>((first + i) * 7 + static_cast<std::size_t>(rank) * 53 + 1);
  };
  return {1, write, {}, {}};
}

template <class Element>
Content combined() {
  const auto write = [](auto make) {
    return [make](int ranks, std::size_t first, std::span<std::byte> bytes) {
      for (std::size_t i = 0; i < bytes.size() / sizeof(Element); ++i) {
        const Element element = make(ranks, first + i);
        std::memcpy(&bytes[i * sizeof element], &element, sizeof element);
      }
    };
  };
  return {sizeof(Element), write(Element::of), write(Element::of_all), combine_all<Element>};
}

// A rank's buffers and where in them each block is.
class RankBuffers {
 public:
  RankBuffers(const Conditions& conditions, int rank, const Content& content, Memory memory)
      : conditions_(conditions), rank_(rank), content_(content), memory_(memory) {
    const std::size_t bytes = offset(conditions.blocks.size());
    input_.assign(bytes, untouched);
    output_.assign(bytes, untouched);
    for (std::size_t block = 0; block < conditions.blocks.size(); ++block) {
      const auto& [slice, before, after] = conditions.blocks[block];
      placing_.before.emplace_back();
      placing_.after.emplace_back();
      if (!before || *before == rank)
        placing_.before.back() = {memory == Memory::same ? Area::output : Area::input,
                                  offset(block)};
      if (!after || *after == rank) placing_.after.back() = {Area::output, offset(block)};
    }
  }

  const Placing& placing() const { return placing_; }
  RankMemory memory() { return {one_buffer() ? output_ : input_, output_}; }

  void fill() {
    std::ranges::fill(input_, untouched);
    std::ranges::fill(output_, untouched);
    for (std::size_t block = 0; block < conditions_.blocks.size(); ++block) {
      if (!placing_.before[block]) continue;
      content_.contribution(rank_, first_element(block),
                            part(one_buffer() ? output_ : input_, block));
    }
  }

  // Empty when the output, and nothing else, is what the conditions say.
  std::string problem() {
    std::vector<std::byte> expected(output_.size(), untouched);
    for (std::size_t block = 0; block < conditions_.blocks.size(); ++block) {
      const auto& before = conditions_.blocks[block].before;
      if (one_buffer() && placing_.before[block])
        content_.contribution(rank_, first_element(block), part(expected, block));
      if (!placing_.after[block]) continue;
      if (before) {
        content_.contribution(*before, first_element(block), part(expected, block));
      } else {
        content_.result(conditions_.ranks, first_element(block), part(expected, block));
      }
    }
    const auto wrong = std::ranges::mismatch(output_, expected).in1 - output_.begin();
    if (wrong < static_cast<std::ptrdiff_t>(output_.size()))
      return fmt::format("rank {}: byte {} of the output is wrong", rank_, wrong);
    if (one_buffer()) return "";
    const std::vector<std::byte> input = input_;
    fill();
    if (input != input_) return fmt::format("rank {}: the input was written to", rank_);
    return "";
  }

 private:
  bool one_buffer() const { return memory_ == Memory::same || memory_ == Memory::aliased; }
  std::size_t offset(std::size_t block) const {
    const std::size_t gaps = memory_ == Memory::gaps ? (block + 1) * 48 : 0;
    const auto& blocks = conditions_.blocks;
    return gaps + (block < blocks.size() ? blocks[block].slice.offset : blocks.back().slice.end());
  }
  std::size_t first_element(std::size_t block) const {
    return conditions_.blocks[block].slice.offset / content_.element_bytes;
  }
  std::span<std::byte> part(std::vector<std::byte>& buffer, std::size_t block) const {
    return std::span(buffer).subspan(offset(block), conditions_.blocks[block].slice.bytes);
  }

  const Conditions& conditions_;
  int rank_;
  const Content& content_;
  Memory memory_;
  Placing placing_;
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
};

Schedule compile_for(const NamedSchedule& schedule, const Placing& placing, int rank,
                     const Pipelining& pipelining) {
  if (const auto* forest = std::get_if<Forest>(&schedule.how))
    return compile(part_of(*forest, rank), schedule.conditions, placing, rank, pipelining);
  return compile(std::get<Rounds>(schedule.how), schedule.conditions, placing, rank, pipelining);
}

// Traces one schedule; empty when all is well.
class Trace {
 public:
  Trace(const NamedSchedule& schedule, const Content& content, Memory memory,
        const Pipelining& pipelining)
      : world_({}, {}, {}, 1) {
    std::vector<Schedule> schedules;
    std::vector<RankMemory> memories;
    buffers_.reserve(static_cast<std::size_t>(schedule.conditions.ranks));
    for (int rank = 0; rank < schedule.conditions.ranks; ++rank) {
      auto& buffers = buffers_.emplace_back(schedule.conditions, rank, content, memory);
      schedules.push_back(compile_for(schedule, buffers.placing(), rank, pipelining));
      memories.push_back(buffers.memory());
    }
    world_ = FakeWorld(std::move(schedules), std::move(memories), content.combine,
                       content.element_bytes);
  }

  std::string run(Sending sending, std::uint64_t seed) {
    for (auto& buffers : buffers_) buffers.fill();
    if (std::string problem = world_.run(sending, seed); !problem.empty()) return problem;
    for (auto& buffers : buffers_) {
      if (std::string problem = buffers.problem(); !problem.empty()) return problem;
    }
    return "";
  }
  std::string find_race() const { return world_.find_race(); }

 private:
  std::vector<RankBuffers> buffers_;
  FakeWorld world_;
};

// How a trace is varied: calls `visit` with every combination of memory, segment size and window.
struct Variation {
  Memory memory;
  Pipelining pipelining;
  std::string name() const {
    constexpr const char* names[] = {"apart", "gaps", "same", "aliased"};
    return fmt::format("memory {}, segments of {} bytes, window {}",
                       names[static_cast<std::size_t>(memory)], pipelining.segment_bytes,
                       pipelining.segments_in_flight);
  }
};

std::vector<Variation> variations(std::size_t element_bytes) {
  std::vector<Variation> all;
  for (const Memory memory : memories) {
    for (const std::size_t segment_elements : {1, 4, 1000}) {
      for (const int window : {1, 2, 8}) {
        if (segment_elements == 1000 && window > 1) continue;  // one segment: no window to fill
        const int bundle = window == 2 ? 3 : window;
        all.push_back({memory, {segment_elements * element_bytes, window, bundle}});
      }
    }
  }
  return all;
}

using MakeSchedules = std::vector<NamedSchedule> (*)(int ranks, int root, std::size_t elements,
                                                     std::size_t element_bytes);

// Calls `test(schedule, description)` for rank counts, roots and lengths of every kind.
void for_schedules(MakeSchedules make, std::size_t element_bytes, std::span<const int> sizes,
                   std::span<const std::size_t> lengths,
                   const std::function<void(const NamedSchedule&, const std::string&)>& test) {
  for (const int ranks : sizes) {
    for (const int root : {0, ranks / 2, ranks - 1}) {
      if (root != 0 && root == ranks / 2 && root == ranks - 1) continue;  // the last, twice
      for (const std::size_t elements : lengths) {
        for (const NamedSchedule& schedule : make(ranks, root, elements, element_bytes)) {
          test(schedule, fmt::format("{}: {} ranks, root {}, {} elements", schedule.name, ranks,
                                     root, elements));
        }
      }
    }
  }
}

void expect_right_in_any_order(const NamedSchedule& schedule, const Content& content,
                               const std::string& description) {
  constexpr Sending ways[] = {Sending::at_once, Sending::some_time_later,
                              Sending::with_its_receive};
  std::uint64_t seed = 0;
  for (const Variation& variation : variations(content.element_bytes)) {
    Trace trace(schedule, content, variation.memory, variation.pipelining);
    const Sending sending = ways[++seed % std::size(ways)];
    ASSERT_EQ(trace.run(sending, seed), "")
        << description << ", " << variation.name() << ", sends complete in way "
        << static_cast<int>(sending) << ", seed " << seed;
  }
}

void expect_no_race(const NamedSchedule& schedule, const Content& content,
                    const std::string& description) {
  for (const Variation& variation : variations(content.element_bytes)) {
    const Trace trace(schedule, content, variation.memory, variation.pipelining);
    ASSERT_EQ(trace.find_race(), "") << description << ", " << variation.name();
  }
}

constexpr int sizes[] = {1, 2, 3, 5, 8, 9, 13};
constexpr std::size_t lengths[] = {0, 1, 3, 17};
constexpr int few_sizes[] = {2, 5, 8, 9};
constexpr std::size_t few_lengths[] = {17};

TEST(Schedules, BlocksArrive) {
  const Content content = plain_bytes();
  for_schedules(moving_schedules, content.element_bytes, sizes, lengths,
                [&](const NamedSchedule& schedule, const std::string& description) {
                  expect_right_in_any_order(schedule, content, description);
                });
}

TEST(Schedules, EveryContributionIsCombinedOnce) {
  const Content content = combined<Contributions>();
  for_schedules(combining_schedules, content.element_bytes, sizes, lengths,
                [&](const NamedSchedule& schedule, const std::string& description) {
                  expect_right_in_any_order(schedule, content, description);
                });
}

TEST(Schedules, InRankOrderWhereThatIsPromised) {
  const Content content = combined<RankRange>();
  for_schedules(combining_schedules, content.element_bytes, sizes, lengths,
                [&](const NamedSchedule& schedule, const std::string& description) {
                  if (!schedule.keeps_rank_order) return;
                  expect_right_in_any_order(schedule, content, description);
                });
}

TEST(Schedules, NoStepsRaceWhenMoving) {
  const Content content = plain_bytes();
  for_schedules(moving_schedules, content.element_bytes, few_sizes, few_lengths,
                [&](const NamedSchedule& schedule, const std::string& description) {
                  expect_no_race(schedule, content, description);
                });
}

TEST(Schedules, NoStepsRaceWhenCombining) {
  const Content content = combined<Contributions>();
  for_schedules(combining_schedules, content.element_bytes, few_sizes, few_lengths,
                [&](const NamedSchedule& schedule, const std::string& description) {
                  expect_no_race(schedule, content, description);
                });
}

TEST(Segments, OfTreesOfDifferentLengthsAdvanceTogether) {
  constexpr std::size_t turns = 17;
  for (std::size_t segments = 0; segments <= turns; ++segments) {
    std::size_t next = 0;
    for (std::size_t turn = 0; turn < turns; ++turn) {
      const auto segment = segment_in_turn(turn, turns, segments);
      if (!segment) continue;
      EXPECT_EQ(*segment, next++);
      EXPECT_LE(turn * segments, *segment * turns);
      EXPECT_LT(*segment * turns, (turn + 1) * segments);
    }
    EXPECT_EQ(next, segments);
  }
}

// The segment's number in the tag wraps: the 257th must not take the first one's place.
TEST(Schedules, MoreSegmentsThanTheTagCounts) {
  constexpr int three[] = {3};
  constexpr std::size_t many[] = {600};
  for_schedules(moving_schedules, 1, three, many,
                [](const NamedSchedule& schedule, const std::string& description) {
                  for (const int window : {1, 8, 256}) {
                    const Content content = plain_bytes();
                    Trace trace(schedule, content, Memory::apart, {1, window});
                    ASSERT_EQ(trace.run(Sending::some_time_later, 1), "") << description;
                    ASSERT_EQ(trace.run(Sending::with_its_receive, 2), "") << description;
                  }
                });
}

TEST(Schedules, SixtyRanks) {
  constexpr int sixty[] = {60};
  constexpr std::size_t three_elements[] = {3};
  const Content content = combined<Contributions>();
  for_schedules(combining_schedules, content.element_bytes, sixty, three_elements,
                [&](const NamedSchedule& schedule, const std::string& description) {
                  Trace trace(schedule, content, Memory::apart, {content.element_bytes, 2});
                  ASSERT_EQ(trace.run(Sending::some_time_later, 3), "") << description;
                });
}

// All-to-all of equal blocks, which are numbered by how far they go.
class EqualBlocks {
 public:
  EqualBlocks(const Shape& shape, const BruckDigits& digits, std::size_t bytes)
      : ranks_(static_cast<int>(shape.nodes())), bytes_(bytes), world_({}, {}, {}, 1) {
    const auto p = static_cast<std::size_t>(ranks_);
    input_.assign(p, std::vector<std::byte>(p * bytes));
    output_.assign(p, std::vector<std::byte>(p * bytes, untouched));
    std::vector<Schedule> schedules;
    std::vector<RankMemory> memories;
    for (std::size_t rank = 0; rank < p; ++rank) {
      const auto self = static_cast<int>(rank);
      schedules.push_back(compile(bruck_alltoall(shape, digits, self), shape, bytes, self));
      memories.push_back({input_[rank], output_[rank]});
      for (std::size_t i = 0; i < p * bytes; ++i) input_[rank][i] = content(rank, i);
    }
    world_ = FakeWorld(std::move(schedules), std::move(memories), {}, 1);
  }

  std::string run(Sending sending, std::uint64_t seed) {
    if (std::string problem = world_.run(sending, seed); !problem.empty()) return problem;
    const auto p = static_cast<std::size_t>(ranks_);
    for (std::size_t to = 0; to < p; ++to) {
      for (std::size_t i = 0; i < p * bytes_; ++i) {
        const std::size_t from = i / bytes_;
        if (output_[to][i] != content(from, to * bytes_ + i % bytes_))
          return fmt::format("rank {}: byte {} is wrong", to, i);
      }
    }
    return "";
  }
  std::string find_race() const { return world_.find_race(); }

 private:
  static std::byte content(std::size_t rank, std::size_t i) {
    return static_cast<std::byte>(i * 7 + rank * 53 + 1);
  }

  int ranks_;
  std::size_t bytes_;
  std::vector<std::vector<std::byte>> input_;
  std::vector<std::vector<std::byte>> output_;
  FakeWorld world_;
};

TEST(Schedules, EqualBlocksArriveByWayOfOthers) {
  std::vector<Shape> shapes = {Shape::torus(std::vector{3, 4}), Shape::torus(std::vector{2, 5, 3}),
                               Shape::torus(std::vector{3, 3, 3})};
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 13, 16, 31}) shapes.push_back(ring_of(ranks));
  for (const Shape& shape : shapes) {
    for (const BruckDigits digits : {BruckDigits{2, 1}, BruckDigits{3, shape.dimensions()},
                                     BruckDigits{31, 1}, BruckDigits{31, shape.dimensions(), 2}}) {
      for (const std::size_t bytes : {0, 1, 3, 40}) {
        EqualBlocks exchange(shape, digits, bytes);
        EXPECT_EQ(exchange.find_race(), "") << shape.to_string() << ", blocks of " << bytes;
        for (const Sending sending :
             {Sending::at_once, Sending::some_time_later, Sending::with_its_receive}) {
          ASSERT_EQ(exchange.run(sending, bytes + 1), "")
              << shape.to_string() << ", blocks of " << bytes;
        }
      }
    }
  }
}

// What the tracer is worth: without any one of its dependencies, a schedule must be found out.
TEST(FakeWorld, FindsMissingDependencies) {
  const Content content = combined<Contributions>();
  const Conditions conditions = Conditions::allreduce(4, 8 * content.element_bytes);
  const Forest forest = forest_from_tree(conditions, Flow::combine_then_multicast, binomial_tree);
  const Pipelining pipelining{content.element_bytes, 2};
  std::size_t dropped = 0;
  std::size_t found = 0;
  for (int victim = 0; victim < conditions.ranks; ++victim) {
    for (std::size_t dependency = 0;; ++dependency) {
      std::vector<RankBuffers> buffers;
      std::vector<Schedule> schedules;
      std::vector<RankMemory> memories;
      buffers.reserve(4);
      for (int rank = 0; rank < conditions.ranks; ++rank) {
        auto& own = buffers.emplace_back(conditions, rank, content, Memory::same);
        schedules.push_back(
            compile(part_of(forest, rank), conditions, own.placing(), rank, pipelining));
        memories.push_back(own.memory());
        own.fill();
      }
      Schedule& schedule = schedules[static_cast<std::size_t>(victim)];
      if (dependency == schedule.successors.size()) break;
      --schedule.dependencies[schedule.successors[dependency]];
      schedule.successors.erase(schedule.successors.begin() +
                                static_cast<std::ptrdiff_t>(dependency));
      for (auto& first : schedule.first_successor) first -= first > dependency ? 1 : 0;
      const FakeWorld world(std::move(schedules), std::move(memories), content.combine,
                            content.element_bytes);
      ++dropped;
      if (!world.find_race().empty()) ++found;
    }
  }
  // Those between two messages of an edge only limit how many are in flight.
  EXPECT_GT(dropped, 100U);
  EXPECT_GT(found * 2, dropped);
}

TEST(FakeWorld, FindsMessagesThatDoNotMatch) {
  const auto world = [](Step first, Step second) {
    std::vector<Schedule> schedules;
    for (const Step& step : {first, second}) {
      ScheduleBuilder builder;
      Step placed = step;
      placed.source = placed.destination = builder.scratch(64);
      builder.add(placed, {});
      schedules.push_back(std::move(builder).finish());
    }
    return FakeWorld(std::move(schedules), {{}, {}}, {}, 1);
  };
  const Step send{.kind = Step::Kind::send, .peer = 1, .bytes = 8};
  const Step receive{.kind = Step::Kind::receive, .peer = 0, .bytes = 8};
  Step longer = receive;
  longer.bytes = 9;
  Step other_channel = receive;
  other_channel.channel = 1;
  Step outside = receive;
  outside.bytes = 65;

  for (const Sending sending : {Sending::at_once, Sending::with_its_receive}) {
    EXPECT_EQ(world(send, receive).run(sending, 1), "");
    EXPECT_NE(world(send, longer).run(sending, 1).find("meets"), std::string::npos);
    EXPECT_NE(world(send, other_channel).run(sending, 1), "");
    EXPECT_NE(world(send, outside).run(sending, 1).find("of a buffer of 64"), std::string::npos);
  }
}

// Rank 4 hears of rank 5 in the first round, has no part in the second and passes it on in the
// third.
TEST(Schedule, OfABarrierWaitsForEarlierRoundsThanTheLast) {
  const Schedule schedule = compile(tree_barrier(6, 2), {6, {}}, {}, 4, {});
  const auto up = std::ranges::find_if(schedule.steps, [](const Step& step) {
    return step.kind == Step::Kind::send && step.peer == 0;
  });
  ASSERT_NE(up, schedule.steps.end());
  EXPECT_EQ(schedule.dependencies[static_cast<std::size_t>(up - schedule.steps.begin())], 1);
}

// The ranks that get to the end of their schedules while `late` has not begun its own.
std::set<int> ranks_that_end(const std::vector<Schedule>& schedules, int late) {
  using Place = std::pair<int, StepId>;
  std::vector<std::vector<std::uint32_t>> waits;
  std::vector<std::size_t> left;
  std::vector<Place> ready;
  for (int rank = 0; rank < static_cast<int>(schedules.size()); ++rank) {
    const Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    waits.push_back(schedule.dependencies);
    left.push_back(schedule.steps.size());
    for (StepId step = 0; rank != late && step < schedule.steps.size(); ++step)
      if (schedule.dependencies[step] == 0) ready.push_back({rank, step});
  }
  // By sender, receiver and channel: whether it was sent, or who waits for it.
  std::map<std::tuple<int, int, std::uint32_t>, std::optional<Place>> messages;
  std::vector<Place> done;
  while (!ready.empty()) {
    const auto [rank, id] = ready.back();
    ready.pop_back();
    const Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    const Step& step = schedule.steps[id];
    const bool sends = step.kind == Step::Kind::send;
    const auto [met, first] =
        messages.try_emplace({sends ? rank : step.peer, sends ? step.peer : rank, step.channel},
                             sends ? std::nullopt : std::optional<Place>({rank, id}));
    if (sends || !first) done.push_back({rank, id});
    if (sends && !first) done.push_back(*met->second);
    for (; !done.empty(); done.pop_back()) {
      const auto [of, ended] = done.back();
      const Schedule& its = schedules[static_cast<std::size_t>(of)];
      --left[static_cast<std::size_t>(of)];
      for (auto next = its.first_successor[ended]; next < its.first_successor[ended + 1]; ++next)
        if (--waits[static_cast<std::size_t>(of)][its.successors[next]] == 0)
          ready.push_back({of, its.successors[next]});
    }
  }
  std::set<int> ended;
  for (int rank = 0; rank < static_cast<int>(schedules.size()); ++rank)
    if (left[static_cast<std::size_t>(rank)] == 0) ended.insert(rank);
  return ended;
}

TEST(Schedule, OfABarrierEndsNowhereBeforeAllHaveCome) {
  for (int ranks = 2; ranks <= 20; ++ranks) {
    std::vector<Rounds> barriers = {dissemination_barrier(ranks)};
    for (int radix = 2; radix <= ranks; ++radix) barriers.push_back(tree_barrier(ranks, radix));
    for (const Rounds& barrier : barriers) {
      std::vector<Schedule> schedules;
      for (int rank = 0; rank < ranks; ++rank)
        schedules.push_back(compile(barrier, {ranks, {}}, {}, rank, {}));
      for (int late = 0; late < ranks; ++late)
        EXPECT_EQ(ranks_that_end(schedules, late), std::set<int>())
            << ranks << " ranks, " << barrier.rounds.size() << " rounds, without " << late;
      EXPECT_EQ(std::ssize(ranks_that_end(schedules, -1)), ranks);
    }
  }
}

// Of rank 0, which receives in two rounds and sends in the third what it had from the beginning.
TEST(Schedule, LockstepWaitsForTheLastRoundOrForAllOfThem) {
  Conditions conditions{3, {}};
  Placing placing;
  for (const Slice slice : {Slice{0, 8}, Slice{8, 8}, Slice{16, 8}}) {
    conditions.blocks.push_back({.slice = slice, .before = {}, .after = {}});
    placing.before.emplace_back(Address{Area::input, slice.offset});
    placing.after.emplace_back(Address{Area::output, slice.offset});
  }
  Rounds rounds{.ranks = 3, .rounds = {{{1, 0, {0}}}, {{2, 0, {1}}}, {{0, 2, {2}}}}};
  // The peers of all receives that the send comes after.
  const auto waits_for = [&] {
    const Schedule schedule = compile(rounds, conditions, placing, 0, {});
    std::vector<std::set<int>> before(schedule.steps.size());
    std::set<int> of_send;
    for (std::size_t step = 0; step < schedule.steps.size(); ++step) {
      if (schedule.steps[step].kind == Step::Kind::receive)
        before[step].insert(schedule.steps[step].peer);
      if (schedule.steps[step].kind == Step::Kind::send) of_send = before[step];
      for (std::size_t next = schedule.first_successor[step];
           next < schedule.first_successor[step + 1]; ++next)
        before[schedule.successors[next]].insert(before[step].begin(), before[step].end());
    }
    return of_send;
  };
  EXPECT_EQ(waits_for(), std::set<int>());
  rounds.lockstep = true;
  EXPECT_EQ(waits_for(), std::set<int>({2}));
  rounds.after_all = true;
  EXPECT_EQ(waits_for(), std::set<int>({1, 2}));
}

}  // namespace schedule_test
}  // namespace cuboid::detail
