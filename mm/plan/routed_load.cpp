#include "mm/plan/routed_load.hpp"

#include "models/simulator/token_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace cuboid::detail {

double LinkLoad::take_busiest() {
  double most = 0;
  for (std::size_t link = 0; link < words_.size(); ++link)
    most = std::max({most, words_[link] - at_once_[link], words_[link] / TokenBuckets::ahead});
  for (std::size_t link = 0; link < words_.size(); ++link) {
    const double spared = at_once_[link] + most - std::exchange(words_[link], 0);
    at_once_[link] = std::min(spared, limit_);
  }
  return most;
}

void LinkLoad::rest(double words) {
  for (double& at_once : at_once_) at_once = std::min(at_once + words, limit_);
}

namespace {

// Chooses some of many ranks at multiples of the golden ratio, so that they are spread evenly on
// any grid.
int spread_evenly(int number, int ranks) {
  return static_cast<int>(std::fmod(number * 0.6180339887498949, 1.0) * ranks);
}

std::vector<int> ranks_to_follow(int ranks) {
  constexpr int some = 32;
  std::vector<int> followed;
  const bool all = ranks <= RoutedLoad::most_routed;
  for (int number = 0; number < (all ? ranks : some); ++number)
    followed.push_back(all ? number : spread_evenly(number, ranks));
  return followed;
}

std::optional<Routes> routes_of(const Placement& placement) {
  if (placement.ranks() > RoutedLoad::most_routed) return std::nullopt;
  return Routes::dimension_ordered(placement.shape());
}

std::size_t counted_links(const Placement& placement, const std::optional<Routes>& routes) {
  return routes ? routes->network().links().size()
                : 2 * static_cast<std::size_t>(placement.shape().dimensions());
}

}  // namespace

RoutedLoad::RoutedLoad(const Placement& placement, double most_at_once)
    : placement_(placement),
      followed_(ranks_to_follow(placement.ranks())),
      routes_(routes_of(placement)),
      load_(counted_links(placement, routes_), most_at_once),
      last_tree_(routes_ ? routes_->network().links().size() : 0, 0) {}

std::vector<RoutedLoad::Told> RoutedLoad::of_line(int ranks) const {
  constexpr int some = 48;
  std::vector<Told> told;
  const bool all = follows_all() || ranks <= some;
  for (int number = 0; number < (all ? ranks : some); ++number) {
    told.push_back(all ? Told{number}
                       : Told{spread_evenly(number, ranks), static_cast<double>(ranks) / some});
  }
  return told;
}

void RoutedLoad::send(int from, int to, double words) {
  if (!follows_all()) return send_like_others(node_of(from), node_of(to), words);
  for (const int link : route(from, to, HalfWay::in_turn))
    load_.add(static_cast<std::size_t>(link), words);
}

void RoutedLoad::multicast(int from, std::span<const int> to, double words) {
  if (to.size() == 1) {
    send(from, to.front(), words);
    return;
  }
  if (!follows_all()) return multicast_like_others(node_of(from), to, words);
  for (const auto half_way : {HalfWay::in_turn, HalfWay::the_other}) {
    ++tree_;
    for (const int receiver : to) {
      for (const int link : route(from, receiver, half_way)) {
        const auto index = static_cast<std::size_t>(link);
        if (std::exchange(last_tree_[index], tree_) != tree_) load_.add(index, words / 2);
      }
    }
  }
}

// The route between two ranks, cached because the same ranks send to each other in every step.
const std::vector<int>& RoutedLoad::route(int from, int to, HalfWay half_way) {
  const auto ranks = static_cast<std::size_t>(placement_.ranks());
  auto& known = known_[half_way == HalfWay::in_turn ? 0 : 1];
  known.resize(ranks * ranks);
  auto& links = known[static_cast<std::size_t>(from) * ranks + static_cast<std::size_t>(to)];
  if (links.empty() && node_of(from) != node_of(to)) {
    routes_->append(static_cast<int>(node_of(from)), static_cast<int>(node_of(to)), links,
                    half_way);
  }
  return links;
}

void RoutedLoad::add_hops(int axis, bool upwards, double hops_and_words) {
  constexpr double in_the_middle = 1.5;
  const Shape& shape = placement_.shape();
  const double of_all = static_cast<double>(placement_.ranks()) /
                        static_cast<double>(followed_.size()) / static_cast<double>(shape.nodes());
  load_.add(2 * static_cast<std::size_t>(axis) + (upwards ? 1 : 0),
            hops_and_words * of_all * (shape.wraps(axis) ? 1 : in_the_middle));
}

void RoutedLoad::send_like_others(NodeIndex from, NodeIndex to, double words) {
  const Shape& shape = placement_.shape();
  for (int axis = shape.dimensions() - 1; from != to; --axis) {
    const int extent = shape.extent(axis);
    auto steps = static_cast<int>(to % extent - from % extent);
    from /= extent;
    to /= extent;
    if (shape.wraps(axis) && 2 * std::abs(steps) > extent) steps += steps > 0 ? -extent : extent;
    const bool half_way = shape.wraps(axis) && 2 * std::abs(steps) == extent;
    const double hops_and_words = words * std::abs(steps);
    add_hops(axis, steps > 0, half_way ? hops_and_words / 2 : hops_and_words);
    if (half_way) add_hops(axis, steps < 0, hops_and_words / 2);
  }
}

void RoutedLoad::multicast_like_others(NodeIndex from, std::span<const int> to, double words) {
  const Shape& shape = placement_.shape();
  std::vector<Hop> hops;
  for (const int receiver : to) append_route(shape, from, node_of(receiver), hops);
  const auto number = [&](const Hop& hop) { return link_number(shape, hop); };
  std::ranges::sort(hops, {}, number);
  hops.erase(std::ranges::unique(hops).begin(), hops.end());
  for (const Hop& hop : hops) {
    // The two trees go round in opposite directions.
    if (shape.wraps(hop.axis)) add_hops(hop.axis, hop.direction < 0, words / 2);
    add_hops(hop.axis, hop.direction > 0, shape.wraps(hop.axis) ? words / 2 : words);
  }
}

}  // namespace cuboid::detail
