// Cannon's and SD-Cannon's rotations: every block everywhere once, and always where it is needed.

#include "mm/decompositions/rotation.hpp"

#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace rotation_test {

std::vector<Rotation> rotations() {
  const std::vector<std::vector<RotationDigit>> shapes{
      {{1, 1}},         {{2, 2}},         {{3, 3}},         {{4, 4}},
      {{1, 5}},         {{4, 1}},         {{2, 3}},         {{4, 2}},
      {{3, 4}},         {{4, 6}},         {{2, 2}, {2, 2}}, {{3, 3}, {3, 3}},
      {{4, 4}, {2, 2}}, {{3, 3}, {1, 3}}, {{2, 4}, {3, 2}}, {{2, 2}, {2, 2}, {2, 2}},
      {{1, 2}, {2, 1}}};
  std::vector<Rotation> result;
  for (const auto& digits : shapes) {
    for (int innermost = 0; innermost < static_cast<int>(digits.size()); ++innermost) {
      for (const int direction : {1, -1}) result.emplace_back(digits, innermost, direction);
    }
  }
  return result;
}

template <class Visit>
void at_every_position(const Rotation& rotation, const Visit& visit) {
  for (int row = 0; row < rotation.rows(); ++row) {
    for (int column = 0; column < rotation.columns(); ++column) visit(GridPosition{row, column});
  }
}

GridPosition moved_along(Side side, GridPosition position, int place) {
  (side == Side::left ? position.column : position.row) = place;
  return position;
}

TEST(Rotation, brings_every_block_to_every_rank_once) {
  for (const Rotation& rotation : rotations()) {
    at_every_position(rotation, [&](GridPosition position) {
      std::set<int> seen;
      for (int step = 0; step < rotation.steps(); ++step) {
        seen.insert(rotation.block(position, step));
      }
      EXPECT_EQ(static_cast<int>(seen.size()), rotation.steps());
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), rotation.steps() - 1);
    });
  }
}

// Follows every block along its line: no two ranks hold it, it is where it is used, and the slots
// do not overwrite what is still needed.
TEST(Rotation, blocks_are_where_they_are_needed) {
  for (const Rotation& rotation : rotations()) {
    for (const Side side : {Side::left, Side::right}) {
      const Slots slots(rotation, side);
      at_every_position(rotation, [&](GridPosition position) {
        constexpr int nothing = -1;
        std::vector<int> memory(static_cast<std::size_t>(slots.count), nothing);
        int begun = 0;
        for (int step = 0; step < rotation.steps(); ++step) {
          if (!rotation.begins(side, step)) continue;
          ++begun;
          memory[static_cast<std::size_t>(slots.of_step[static_cast<std::size_t>(step)])] =
              rotation.block(position, step);
        }
        EXPECT_EQ(begun, rotation.steps() / rotation.line(side));
        for (int step = 0; step < rotation.steps(); ++step) {
          const int used = slots.of_step[static_cast<std::size_t>(step)];
          if (const auto onward = rotation.onward(side, position, step)) {
            const GridPosition to = moved_along(side, position, onward->to);
            const GridPosition from = moved_along(side, position, onward->from);
            EXPECT_EQ(rotation.block(to, onward->arrival), rotation.block(position, step));
            const auto theirs = rotation.onward(side, from, step);
            ASSERT_TRUE(theirs.has_value());
            EXPECT_EQ(moved_along(side, from, theirs->to), position);
            EXPECT_EQ(theirs->arrival, onward->arrival);
            const int slot = slots.of_step[static_cast<std::size_t>(onward->arrival)];
            EXPECT_NE(slot, used);  // what arrives may not overwrite what is being multiplied
            memory[static_cast<std::size_t>(slot)] = rotation.block(from, step);
          }
          EXPECT_EQ(memory[static_cast<std::size_t>(used)], rotation.block(position, step));
        }
      });
    }
  }
}

TEST(Rotation, of_a_square_grid_is_cannons) {
  const Rotation rotation({{4, 4}}, 0, 1);
  for (const Side side : {Side::left, Side::right}) {
    EXPECT_EQ(Slots(rotation, side).count, 2);
    at_every_position(rotation, [&](GridPosition position) {
      const int here = side == Side::left ? position.column : position.row;
      for (int step = 0; step < 4; ++step) {
        EXPECT_EQ(rotation.block(position, step), (position.row + position.column + step) % 4);
        const auto onward = rotation.onward(side, position, step);
        ASSERT_EQ(onward.has_value(), step < 3);
        if (!onward) continue;
        EXPECT_EQ(onward->to, (here + 3) % 4);
        EXPECT_EQ(onward->from, (here + 1) % 4);
        EXPECT_EQ(onward->arrival, step + 1);
      }
    });
  }
}

// Solomonik and Demmel 2012, section 3: all shifts of a stage go over different links of an l-ary
// d-cube.
TEST(Rotation, colours_of_a_cube_shift_over_different_links) {
  for (const auto& digits :
       {std::vector<RotationDigit>{{4, 4}}, {{3, 3}, {3, 3}}, {{4, 4}, {4, 4}}}) {
    std::vector<Rotation> colours;
    for (int innermost = 0; innermost < static_cast<int>(digits.size()); ++innermost) {
      for (const int direction : {1, -1}) colours.emplace_back(digits, innermost, direction);
    }
    for (int step = 0; step + 1 < colours.front().steps(); ++step) {
      std::set<int> neighbours;
      for (const Rotation& colour : colours) {
        const auto onward = colour.onward(Side::left, {}, step);
        ASSERT_TRUE(onward.has_value());
        EXPECT_EQ(onward->arrival, step + 1);
        neighbours.insert(onward->to);
      }
      EXPECT_EQ(neighbours.size(), colours.size());
    }
  }
}

}  // namespace rotation_test
}  // namespace cuboid::detail
