#pragma once

#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include "topology/network/routing.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// The links of the route from one node to another. A value that owns its network.
class Routes {
 public:
  /// Dimension-ordered routes in Network::of_shape(shape), as in append_route(). Messages half-way
  /// round an even ring alternate between both directions, so that both are in use. Rates as in
  /// of_shape().
  static Routes dimension_ordered(const Shape& shape,
                                  std::span<const double> bytes_per_second = {});
  /// Shortest routes in any network. Of several routes with equally many links, it is the route
  /// that is found first if links are tried in ascending order. Finding a route takes time linear
  /// in the number of links.
  static Routes shortest(Network network);

  const Network& network() const { return network_; }

  /// Appends the numbers of the links of a route in order. There are none from a node to itself.
  /// Throws Error(invalid_argument) for nodes outside the network or without a path between them.
  /// @param half_way  for dimension-ordered routes: in_turn for whole messages, the_other for the
  ///                  second half of data that is sent in halves in both directions.
  void append(int from, int to, std::vector<int>& links, HalfWay half_way = HalfWay::in_turn) const;

 private:
  explicit Routes(Network network) : network_(std::move(network)) {}
  void append_ordered(int from, int to, std::vector<int>& links, HalfWay half_way) const;
  void append_shortest(int from, int to, std::vector<int>& links) const;

  Network network_;
  std::optional<Shape> shape_;
  std::vector<int> link_of_hop_;  ///< by link_number() of the shape
};

}  // namespace cuboid::detail
