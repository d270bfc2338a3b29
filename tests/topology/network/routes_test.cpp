#include "topology/network/routes.hpp"

#include <cuboid/error.hpp>

#include <array>
#include <cstdlib>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace routes_test {

// Follows links; gives the node they end at.
int end_of(const Network& network, int from, const std::vector<int>& links) {
  for (const int number : links) {
    const Link& link = network.links()[static_cast<std::size_t>(number)];
    EXPECT_EQ(link.from, from);
    from = link.to;
  }
  return from;
}

TEST(Routes, LeadToTheDestinationOverTheFewestLinks) {
  for (const Shape& shape : {Shape::torus(std::array{4, 3, 2}), Shape::mesh(std::array{3, 1, 4}),
                             Shape::torus(std::array{2, 2}), Shape::torus(std::array{1}),
                             Shape::hypercube(4), Shape{}}) {
    const Routes ordered = Routes::dimension_ordered(shape);
    const Routes shortest = Routes::shortest(Network::of_shape(shape));
    for (int from = 0; from < shape.nodes(); ++from) {
      for (int to = 0; to < shape.nodes(); ++to) {
        for (const Routes* routes : {&ordered, &shortest}) {
          std::vector<int> links;
          routes->append(from, to, links);
          EXPECT_EQ(end_of(routes->network(), from, links), to);
          EXPECT_EQ(links.size(), static_cast<std::size_t>(shape.distance(from, to)))
              << shape.to_string() << " " << from << " to " << to;
        }
      }
    }
  }
}

TEST(Routes, GoAlongTheFirstAxisFirst) {
  const Shape shape = Shape::torus(std::array{4, 4});
  const Routes routes = Routes::dimension_ordered(shape);
  std::vector<int> links;
  routes.append(0, 5, links);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(routes.network().links()[static_cast<std::size_t>(links[0])].to, 4);
}

TEST(Routes, UseBothWaysRoundWhereTheyAreEquallyLong) {
  const Routes routes = Routes::dimension_ordered(Shape::torus(std::array{4}));
  std::vector<int> users(routes.network().links().size(), 0);
  for (int from = 0; from < 4; ++from) {
    std::vector<int> links;
    routes.append(from, (from + 2) % 4, links);
    for (const int link : links) ++users[static_cast<std::size_t>(link)];
  }
  for (const int user : users) EXPECT_EQ(user, 1);
}

TEST(Routes, TheOtherWayIsRoundHalfWayRingsOnly) {
  for (const int extent : {2, 4, 5, 6}) {
    const Shape shape = Shape::torus(std::array{extent, 3});
    const Routes routes = Routes::dimension_ordered(shape);
    for (int from = 0; from < routes.network().nodes(); ++from) {
      for (int to = 0; to < routes.network().nodes(); ++to) {
        std::vector<int> one, other;
        routes.append(from, to, one);
        routes.append(from, to, other, HalfWay::the_other);
        const int forth = std::abs(to / 3 - from / 3);
        EXPECT_EQ(one == other, 2 * forth != extent) << extent;
        EXPECT_EQ(one.size(), other.size());
        EXPECT_EQ(end_of(routes.network(), from, other), to);
      }
    }
  }
}

TEST(Routes, NamesWhatCannotBeReached) {
  Network network;
  network.add_node("a");
  network.add_node("b");
  std::vector<int> links;
  EXPECT_THROW(Routes::shortest(network).append(0, 1, links), Error);
  EXPECT_THROW(Routes::shortest(network).append(0, 2, links), Error);
}

}  // namespace routes_test
}  // namespace cuboid::detail
