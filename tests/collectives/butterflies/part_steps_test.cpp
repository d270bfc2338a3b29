#include "collectives/butterflies/part_steps.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace part_steps_test {

Shape line_of(int extent, bool wraps) {
  const std::vector<int> extents{extent};
  return wraps ? Shape::torus(extents) : Shape::mesh(extents);
}

int distance(const Shape& shape, int a, int b) {
  const int apart = std::abs(a - b);
  return shape.wraps(0) ? std::min(apart, shape.extent(0) - apart) : apart;
}

// Parts that the positions kept in earlier steps: the same for all of a class.
using Class = std::vector<int>;

std::map<Class, std::vector<int>> classes_before(const std::vector<PartStep>& steps,
                                                 std::size_t number, int extent) {
  std::map<Class, std::vector<int>> classes;
  for (int position = 0; position < extent; ++position) {
    Class kept;
    for (std::size_t s = 0; s < number; ++s) kept.push_back(steps[s].kept_by(position));
    classes[kept].push_back(position);
  }
  return classes;
}

// Within each class parts are shared out evenly, and each comes from the nearest that keeps it.
void expect_right(const Shape& shape, const PartStep& step, const std::vector<int>& members,
                  const std::string& what) {
  std::vector<int> keepers(static_cast<std::size_t>(step.parts), 0);
  for (const int position : members) ++keepers[static_cast<std::size_t>(step.kept_by(position))];
  const auto [least, most] = std::ranges::minmax(keepers);
  EXPECT_LE(most - least, 1) << what;
  EXPECT_TRUE(least > 0 || !step.in_all_classes) << what;
  for (const int position : members) {
    EXPECT_EQ(step.source_of(position, step.kept_by(position)), position) << what;
    for (int part = 0; part < step.parts; ++part) {
      int nearest = -1;
      for (const int other : members) {
        if (step.kept_by(other) != part) continue;
        if (nearest < 0 || distance(shape, position, other) < distance(shape, position, nearest))
          nearest = other;
      }
      const int source = step.source_of(position, part);
      ASSERT_EQ(source < 0, nearest < 0) << what;
      if (source < 0) continue;
      EXPECT_EQ(step.kept_by(source), part) << what;
      EXPECT_NE(std::ranges::find(members, source), members.end()) << what;
      EXPECT_EQ(distance(shape, position, source), distance(shape, position, nearest)) << what;
    }
  }
}

TEST(PartSteps, ShareOutEvenlyAmongNeighboursOnLinesOfAnyExtent) {
  for (int extent = 1; extent <= 40; ++extent) {
    for (const bool wraps : {true, false}) {
      const Shape shape = line_of(extent, wraps);
      for (const int parts : {2, 3, 4, 5}) {
        for (const int direction : {+1, -1}) {
          const std::string what = shape.to_string() + ", " + std::to_string(parts) + " parts";
          const auto steps = part_steps(shape, 0, parts, direction, extent / 3);
          for (std::size_t s = 0; s < steps.size(); ++s) {
            const bool is_last = s + 1 == steps.size();
            EXPECT_TRUE(is_last ? steps[s].parts <= parts + 1 : steps[s].parts == parts) << what;
            EXPECT_TRUE(is_last || steps[s].in_all_classes) << what;
            for (const auto& [kept, members] : classes_before(steps, s, extent))
              expect_right(shape, steps[s], members, what);
          }
          for (const auto& [kept, members] : classes_before(steps, steps.size(), extent))
            EXPECT_EQ(members.size(), 1U) << what;
        }
      }
    }
  }
}

// De Sensi et al., NSDI 2024, equation 1: 1, 1, 3, 5, 11.
TEST(PartSteps, AreSwingsOnRingsOfPowersOfTwo) {
  const Shape shape = line_of(64, true);
  for (const int direction : {+1, -1}) {
    const auto steps = part_steps(shape, 0, 2, direction, 0);
    ASSERT_EQ(steps.size(), 6U);
    const int distances[] = {1, 1, 3, 5, 11, 21};
    for (std::size_t s = 0; s < steps.size(); ++s) {
      for (int position = 0; position < 64; ++position) {
        const int other = steps[s].source_of(position, 1 - steps[s].kept_by(position));
        EXPECT_EQ(distance(shape, position, other), distances[s]) << s << ", " << position;
        EXPECT_EQ(steps[s].source_of(other, steps[s].kept_by(position)), position);
      }
    }
  }
}

// The pairs of the two directions are at different links, so that neither waits for the other: one
// link is left, of a ring of an odd extent, for those that have no partner.
TEST(PartSteps, OfBothDirectionsUseEachLinkOnce) {
  for (int extent = 4; extent <= 70; ++extent) {
    const Shape shape = line_of(extent, true);
    std::vector<int> up(static_cast<std::size_t>(extent), 0), down(up);
    for (const int direction : {+1, -1}) {
      part_steps(shape, 0, 2, direction, 0).front().for_each_request([&](int position, int source) {
        if (source == (position + 1) % extent) ++down[static_cast<std::size_t>(position)];
        if (position == (source + 1) % extent) ++up[static_cast<std::size_t>(source)];
        EXPECT_EQ(distance(shape, position, source), 1) << extent;
      });
    }
    EXPECT_LE(std::ranges::max(up), 1) << extent;
    EXPECT_LE(std::ranges::max(down), 1) << extent;
  }
}

}  // namespace part_steps_test
}  // namespace cuboid::detail
