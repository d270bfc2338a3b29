#pragma once

#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include "topology/network/routing.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Which links of a network a message takes from one node to another. A value that keeps the
/// network it routes in.
class Routes {
 public:
  /// Of the two ways to the node half way round an even ring.
  enum class HalfWay { in_turn, the_other };

  /// In Network::of_shape(shape): all of axis 0 first, then axis 1, … (see append_route), but half
  /// way round an even ring by turns one way and the other, so that neither is left idle. Rates as
  /// of_shape() takes them.
  static Routes dimension_ordered(const Shape& shape,
                                  std::span<const double> bytes_per_second = {});
  /// In any network: the fewest links; of several such ways the one found first, links of lower
  /// numbers being tried before others. Time of a route: linear in the links.
  static Routes shortest(Network network);

  const Network& network() const { return network_; }

  /// Appends the numbers of the links, in order; none from a node to itself. Throws
  /// Error(invalid_argument) for nodes outside the network or with no way between them.
  /// @param half_way  what dimension-ordered routes take: what messages do, or the other way, for
  ///                  what is sent in halves both ways.
  void append(int from, int to, std::vector<int>& links, HalfWay half_way = HalfWay::in_turn) const;

 private:
  explicit Routes(Network network) : network_(std::move(network)) {}
  void append_ordered(int from, int to, std::vector<int>& links, HalfWay half_way) const;
  int turn(const Hop& start, int to) const;
  void turn_round(std::span<Hop> half_way) const;
  void append_shortest(int from, int to, std::vector<int>& links) const;

  Network network_;
  std::optional<Shape> shape_;
  std::vector<int> link_of_hop_;  ///< by link_number() of the shape
};

}  // namespace cuboid::detail
