#include "collectives/schedules/staging_plan.hpp"

#include "collectives/engine/device_staging.hpp"
#include "tests/devices/a_device.hpp"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace staging_plan_test {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

StagingPlan plan_of(const Schedule& schedule, bool in_place) {
  return staging_plan(schedule, footprint_of(schedule, Area::input),
                      footprint_of(schedule, Area::output), in_place);
}

std::vector<ByteRange> ascending(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  return ranges;
}

/// The bytes of ranges that are apart, as one number each; touching ranges are one.
std::vector<ByteRange> joined(const std::vector<ByteRange>& ranges) {
  std::vector<ByteRange> all;
  for (const ByteRange& range : ascending(ranges)) {
    if (!all.empty() && all.back().end == range.begin)
      all.back().end = range.end;
    else
      all.push_back(range);
  }
  return all;
}

bool overlap(const ByteRange& one, const ByteRange& other) {
  return one.begin < other.end && other.begin < one.end;
}

/// The ranges that a step touches in an area, as far as `access` is wanted.
std::vector<ByteRange> touched(const Schedule& schedule, const Step& step, Area area,
                               std::initializer_list<Access> wanted) {
  std::vector<ByteRange> ranges;
  for_each_access(schedule, step, [&](Access access, const Address& where, std::size_t bytes) {
    if (where.area == area && std::ranges::find(wanted, access) != wanted.end())
      ranges.push_back({where.offset, where.offset + bytes});
  });
  return ranges;
}

void expect_few_long_batches(const CopyBatches& batches) {
  EXPECT_LE(batches.size(), 33U);
  for (std::size_t batch = 0; batch + 1 < batches.size(); ++batch) {
    std::size_t bytes = 0;
    for (const ByteRange& range : batches[batch]) bytes += range.end - range.begin;
    EXPECT_GE(bytes, mebibyte);
  }
}

/// Each step needs all batches up to the last one in which it touches a byte, and no more.
void expect_needed(const Schedule& schedule, Area area, const StagingPlan::Arrivals& arrivals) {
  for (StepId step = 0; step < schedule.steps.size(); ++step) {
    std::uint32_t needed = 0;
    for (const ByteRange& range :
         touched(schedule, schedule.steps[step], area, {Access::read, Access::written})) {
      for (std::uint32_t batch = 0; batch < arrivals.batches.size(); ++batch) {
        const auto in_range = [&](const ByteRange& piece) { return overlap(piece, range); };
        if (std::ranges::any_of(arrivals.batches[batch], in_range))
          needed = std::max(needed, batch + 1);
      }
    }
    EXPECT_EQ(arrivals.needed[step], needed);
  }
}

void expect_written(const Schedule& schedule, const StagingPlan& plan) {
  std::vector<std::uint32_t> writers(plan.results.size());
  for (StepId step = 0; step < schedule.steps.size(); ++step) {
    std::vector<std::uint32_t> batches;
    const auto ranges = touched(schedule, schedule.steps[step], Area::output, {Access::written});
    for (std::uint32_t batch = 0; batch < plan.results.size(); ++batch) {
      const auto in_step = [&](const ByteRange& piece) {
        return std::ranges::any_of(ranges, [&](const ByteRange& r) { return overlap(piece, r); });
      };
      if (!std::ranges::any_of(plan.results[batch], in_step)) continue;
      batches.push_back(batch);
      ++writers[batch];
    }
    std::vector<std::uint32_t> noted(plan.written.begin() + plan.first_result[step],
                                     plan.written.begin() + plan.first_result[step + 1]);
    std::ranges::sort(noted);
    EXPECT_EQ(noted, batches);
  }
  EXPECT_EQ(plan.writers, writers);
}

void expect_right(const Schedule& schedule, bool in_place) {
  const Footprint input = footprint_of(schedule, Area::input);
  const Footprint output = footprint_of(schedule, Area::output);
  const StagingPlan plan = plan_of(schedule, in_place);
  EXPECT_EQ(joined(plan.input.batches.ranges), joined(input.read));
  EXPECT_EQ(joined(plan.content.batches.ranges),
            joined(in_place ? output.read : output.only_read()));
  EXPECT_EQ(joined(plan.results.ranges), joined(output.written));
  for (const CopyBatches* const batches :
       {&plan.input.batches, &plan.content.batches, &plan.results})
    expect_few_long_batches(*batches);
  expect_needed(schedule, Area::input, plan.input);
  expect_needed(schedule, Area::output, plan.content);
  expect_written(schedule, plan);
}

TEST(StagingPlan, OfRandomSchedules) {
  std::mt19937 random(1);
  const auto number = [&](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  for (int repeat = 0; repeat < 200; ++repeat) {
    Schedule schedule;
    schedule.repetitions.resize(2);
    schedule.repetitions[1] = {.times = 3, .source = 5000, .destination = 700};
    const std::size_t longest = std::size_t{1} << (4 + number(20));
    for (std::size_t step = number(40); step > 0; --step) {
      using Kind = Step::Kind;
      constexpr std::array kinds{Kind::send, Kind::receive, Kind::combine, Kind::copy};
      const auto place = [&] {
        constexpr std::array areas{Area::input, Area::output, Area::scratch};
        return Address{areas[number(3)], number(4 * longest)};
      };
      const Kind kind = kinds[number(4)];
      Address to = place();
      if (to.area == Area::input) to.area = Area::output;
      const bool repeats = kind == Kind::copy && number(2) == 0;
      schedule.steps.push_back({.kind = kind,
                                .repetition = repeats,
                                .bytes = number(longest),
                                .source = place(),
                                .right = place(),
                                .destination = to});
    }
    expect_right(schedule, repeat % 2 == 0);
  }
}

TEST(StagingPlan, DataThatStepsNeedFirstComeFirst) {
  Schedule schedule;
  for (const std::size_t offset : {3, 0, 2, 1}) {
    schedule.steps.push_back(
        {.kind = Step::Kind::send, .bytes = mebibyte, .source = {Area::input, offset * mebibyte}});
  }
  const StagingPlan plan = plan_of(schedule, false);
  EXPECT_EQ(plan.input.needed, (std::vector<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(plan.input.batches[0].front().begin, 3 * mebibyte);
}

TEST(DeviceStaging, StepsRunBesideCopies) {
  if (on_a_real_device()) GTEST_SKIP() << "a real device may have copied everything at once";
  const CudaDevice::Current current(test_device());
  const StandIn stand_in;
  constexpr std::size_t parts = 4;
  std::vector<std::byte> content(parts * mebibyte);
  for (std::size_t i = 0; i < content.size(); ++i)
    content[i] = static_cast<std::byte>(i / mebibyte);
  const DeviceArray<std::byte> there(content);
  Schedule sends, receives;
  sends.repetitions.resize(1);
  receives.repetitions.resize(1);
  for (std::size_t part = 0; part < parts; ++part) {
    sends.steps.push_back(
        {.kind = Step::Kind::send, .bytes = mebibyte, .source = {Area::input, part * mebibyte}});
    receives.steps.push_back({.kind = Step::Kind::receive,
                              .bytes = mebibyte,
                              .destination = {Area::output, part * mebibyte}});
  }

  stand_in.streams("late");
  DeviceStaging to_host(sends, false);
  const DeviceStaging::Addresses from = to_host.begin(there.data(), nullptr, {});
  ASSERT_TRUE(to_host.waits());
  for (StepId part = 0; part < parts; ++part) {
    EXPECT_FALSE(to_host.has_arrived(part));
    while (!to_host.has_arrived(part)) to_host.progress();
    EXPECT_TRUE(std::ranges::all_of(std::span(from.input + part * mebibyte, mebibyte),
                                    [&](std::byte b) { return b == std::byte(part); }));
  }
  while (!to_host.progress()) {
  }

  stand_in.streams("in_order");
  DeviceStaging to_device(receives, false);
  const DeviceStaging::Addresses to = to_device.begin(nullptr, there.data(), {});
  ASSERT_TRUE(to_device.copies_back());
  const std::int64_t before = stand_in.counts().bytes_up;
  for (StepId part = parts; part-- > 0;) {
    std::ranges::fill(std::span(to.output + part * mebibyte, mebibyte), std::byte(17));
    to_device.note_complete(part);
    to_device.copy_back();
    EXPECT_EQ(stand_in.counts().bytes_up - before,
              static_cast<std::int64_t>((parts - part) * mebibyte));
  }
  to_device.end_copy_back();
  while (!to_device.done()) {
  }
  EXPECT_EQ(there.read(), std::vector<std::byte>(parts * mebibyte, std::byte(17)));
}

}  // namespace staging_plan_test
}  // namespace cuboid::detail
