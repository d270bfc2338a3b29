#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/deepest_branch.hpp"
#include "models/messages/hockney.hpp"
#include "models/simulator/equal_ranks.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A message of a round.
struct RoundMessage {
  int sender = 0;
  int receiver = 0;
};

/// Messages that are all sent at once, by number.
struct RoundMessages {
  int count = 0;
  std::function<RoundMessage(int number)> message;
  int of_a_rank = 1;  ///< as many as the busiest rank sends
  /// How much more the busiest link of a large network carries than the mean one of its direction:
  /// nothing where all ranks send equally far one way.
  double unevenness = 1;
};

/// α + h·(d − 1) + o·(k − 1) + β·b·n, all of these messages of b bytes being sent at once, the
/// farthest over d links, k by the busiest rank and n over the busiest link: along the routes of
/// the network's shape, or where that is not known, out of or into a node; and no less than the
/// nodes take to send them all. A group on one node shares no links: n is 1.
///
/// Of more than `most_followed` messages some are followed, and n is that of the mean link of the
/// busiest axis and direction, times their unevenness.
double round_seconds(const Call& call, double bytes, const RoundMessages& messages);

/// The same where every rank sends one message, to the one so many ranks above it.
double shift_seconds(const Call& call, double bytes, int distance);

/// n and d of the above; d is 1 where no shape is known.
struct RoundLoad {
  double on_link = 1;
  double farthest = 1;
};
RoundLoad round_load(const Call& call, const RoundMessages& messages);

constexpr int most_followed = 2048;

/// By axis of a group's shape, how much faster its links are than the slowest of the axes with more
/// than one node. Empty: all alike.
std::vector<double> relative_rates(const GroupNodes& group);

/// The shape that numbers a group's ranks: that of its nodes, without axes of one, and, if each
/// node has several ranks, a further axis. nullopt if there is none.
std::optional<Shape> shape_of_ranks(const Call& call);

/// The links that messages cross which all ranks send at once, equally far along the axes of a
/// shape that numbers them. Along the axes of shape_of_ranks() those of a direction along an axis
/// are alike, and each crosses one axis after the other. Of any other shape, the messages of a
/// distance are counted where most meet (round_load()).
class CommonLinks {
 public:
  CommonLinks(const Call& call, const Shape& shape);

  /// A message so far upwards along every axis.
  CommonMessage message(std::span<const int> distances, double bytes) const;
  /// Of the kinds of links that messages cross.
  std::span<const double> bytes_per_second() const { return rates_; }

 private:
  double cross_axes(std::span<const int> distances, std::vector<double>& crossings) const;
  double cross_network(std::span<const int> distances, std::vector<double>& crossings) const;

  const Call& call_;
  Shape shape_;
  bool own_axes_;
  std::optional<int> slots_;  // the axis within nodes
  std::vector<double> rates_;
};

/// The seconds that messages take longer, from the root of a tree to the farthest rank, than if all
/// ranks were neighbours: a hop for each further link. Some ranks' ways to the root are followed.
/// Where an all-reduce goes there and back, of both ways. 0 where the network has no known shape.
double further_links_seconds(const Call& call, const TreeSteps& steps,
                             const RelativesOf& relatives);

}  // namespace cuboid::detail
