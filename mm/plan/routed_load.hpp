#pragma once

#include <cuboid/grid.hpp>

#include "topology/network/routes.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// What links carry, step for step.
class LinkLoad {
 public:
  LinkLoad(std::size_t links, double most_at_once)
      : limit_(most_at_once), words_(links, 0), at_once_(links, 0) {}

  void add(std::size_t link, double words) { words_[link] += words; }

  /// Ends a step: the most that any link had to carry at its rate. Meanwhile others catch up.
  double take_busiest();

  /// No link carries anything for as long as it could have carried so many words.
  void rest(double words);

 private:
  double limit_;
  std::vector<double> words_;    // by link, as the next
  std::vector<double> at_once_;  // what it can carry beyond its rate
};

/// The same while ranks send to one another over a torus or mesh. Of more than `most_routed` ranks
/// some stand for all: the links of an axis, each way, are taken to carry equally much; on axes
/// that do not wrap, those in the middle half as much again, as in an exchange of all with all.
class RoutedLoad {
 public:
  static constexpr int most_routed = 256;

  RoutedLoad(const Placement& placement, double most_at_once);

  /// The ranks whose messages are to be told.
  const std::vector<int>& followed() const { return followed_; }

  /// The ranks of a line whose messages are to be told, by place, and for how many each stands.
  struct Told {
    int place = 0;
    double as_many = 1;
  };
  std::vector<Told> of_line(int ranks) const;

  void send(int from, int to, double words);
  /// Over each link of the routes once: to several ranks by two trees, which go both ways round
  /// rings.
  void multicast(int from, std::span<const int> to, double words);

  double take_busiest() { return load_.take_busiest(); }
  void rest(double words) { load_.rest(words); }

 private:
  bool follows_all() const { return routes_.has_value(); }
  NodeIndex node_of(int rank) const { return placement_.location(rank).node; }
  const std::vector<int>& route(int from, int to, HalfWay half_way);
  void add_hops(int axis, bool upwards, double hops_and_words);
  void send_like_others(NodeIndex from, NodeIndex to, double words);
  void multicast_like_others(NodeIndex from, std::span<const int> to, double words);

  const Placement& placement_;
  std::vector<int> followed_;
  std::optional<Routes> routes_;
  std::array<std::vector<std::vector<int>>, 2> known_;  // by way, rank that sends, receiver
  LinkLoad load_;  // by link or, where some stand for all, by axis and direction
  std::vector<std::size_t> last_tree_;  // by link: that used it
  std::size_t tree_ = 0;
};

}  // namespace cuboid::detail
