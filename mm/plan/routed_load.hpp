#pragma once

#include <cuboid/grid.hpp>

#include "topology/network/routes.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The words that links carry, step by step.
class LinkLoad {
 public:
  LinkLoad(std::size_t links, double most_at_once)
      : limit_(most_at_once), words_(links, 0), at_once_(links, 0) {}

  void add(std::size_t link, double words) { words_[link] += words; }

  /// Ends a step. Returns the most words that any link had to carry at its rate; other links earn
  /// burst credit.
  double take_busiest();

  /// All links are idle for the time in which a link carries `words`.
  void rest(double words);

 private:
  double limit_;
  std::vector<double> words_;    // words of the current step, by link
  std::vector<double> at_once_;  // burst credit, by link
};

/// The load of messages between ranks over a torus or mesh. If there are more than `most_routed`
/// ranks, some ranks stand for all: all links of one direction of an axis are assumed to carry
/// equally much. On axes that do not wrap, the links in the middle carry half as much again, as in
/// an all-to-all.
class RoutedLoad {
 public:
  static constexpr int most_routed = 256;

  RoutedLoad(const Placement& placement, double most_at_once);

  /// The ranks whose messages must be added.
  const std::vector<int>& followed() const { return followed_; }

  /// A rank of a line whose messages must be added, given by its place, and the number of ranks for
  /// which it stands.
  struct Told {
    int place = 0;
    double as_many = 1;
  };
  std::vector<Told> of_line(int ranks) const;

  void send(int from, int to, double words);
  /// Adds a multicast to several ranks by two trees, which go round rings in opposite directions.
  /// The multicast crosses each link of the routes once.
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
  std::array<std::vector<std::vector<int>>, 2> known_;  // by way, sender and receiver
  LinkLoad load_;  // by link; if some ranks stand for all, by axis and direction
  std::vector<std::size_t> last_tree_;  // by link: the tree that used the link last
  std::size_t tree_ = 0;
};

}  // namespace cuboid::detail
