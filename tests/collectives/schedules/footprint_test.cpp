#include "collectives/schedules/footprint.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace footprint_test {

using Ranges = std::vector<ByteRange>;

Step copy_step(Address source, Address destination, std::size_t bytes) {
  return {.kind = Step::Kind::copy, .bytes = bytes, .source = source, .destination = destination};
}

TEST(Footprint, MergesWhatStepsTouch) {
  Schedule schedule;
  schedule.repetitions.resize(2);
  schedule.repetitions[1] = {.times = 3, .source = 100, .destination = 10};
  schedule.steps.push_back(copy_step({Area::input, 8}, {Area::output, 40}, 10));
  schedule.steps.back().repetition = 1;  // reads 8, 108, 208; writes 40 to 70 in one piece
  schedule.steps.push_back({.kind = Step::Kind::receive,
                            .bytes = 5,
                            .source = {Area::input, 0},
                            .destination = {Area::output, 80}});
  schedule.steps.push_back({.kind = Step::Kind::send,
                            .bytes = 4,
                            .source = {Area::output, 80},
                            .destination = {Area::input, 900}});
  schedule.steps.push_back(copy_step({Area::input, 500}, {Area::output, 500}, 0));
  const Footprint input = footprint_of(schedule, Area::input);
  EXPECT_EQ(input.read, (Ranges{{8, 18}, {108, 118}, {208, 218}}));
  EXPECT_TRUE(input.written.empty());
  EXPECT_EQ(input.hull(), (ByteRange{8, 218}));
  const Footprint output = footprint_of(schedule, Area::output);
  EXPECT_EQ(output.read, (Ranges{{80, 84}}));
  EXPECT_EQ(output.written, (Ranges{{40, 70}, {80, 85}}));
  EXPECT_EQ(output.hull(), (ByteRange{40, 85}));
}

TEST(Footprint, OnlyRead) {
  const auto only_read = [](Ranges read, Ranges written) {
    return Footprint{std::move(read), std::move(written)}.only_read();
  };
  EXPECT_EQ(only_read({{0, 10}}, {}), (Ranges{{0, 10}}));
  EXPECT_EQ(only_read({{0, 10}}, {{0, 10}}), Ranges());
  EXPECT_EQ(only_read({{0, 10}, {20, 30}}, {{2, 4}, {6, 7}, {9, 22}, {28, 40}}),
            (Ranges{{0, 2}, {4, 6}, {7, 9}, {22, 28}}));
  EXPECT_EQ(only_read({{5, 6}, {8, 9}}, {{0, 1}, {6, 8}}), (Ranges{{5, 6}, {8, 9}}));
}

TEST(Footprint, OfNothing) {
  EXPECT_TRUE(footprint_of(Schedule(), Area::input).empty());
  EXPECT_EQ(Footprint().hull(), ByteRange());
}

}  // namespace footprint_test
}  // namespace cuboid::detail
