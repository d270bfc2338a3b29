#include "mm/plan/busiest_link.hpp"

#include "topology/network/routes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// Some of many numbers, at multiples of the golden ratio, so that they are spread evenly on any
/// grid; all of few numbers.
std::vector<int> spread_evenly(int all, int some, bool every_one) {
  std::vector<int> chosen;
  for (int number = 0; number < (every_one ? all : some); ++number) {
    const double share = std::fmod(number * 0.6180339887498949, 1.0);
    chosen.push_back(every_one ? number : static_cast<int>(share * all));
  }
  return chosen;
}

/// The words that links carry for messages between ranks, step by step.
class RoutedLoad {
 public:
  explicit RoutedLoad(const Placement& placement)
      : placement_(placement),
        followed_(spread_evenly(placement.ranks(), 32, placement.ranks() <= most_routed)),
        words_(2 * static_cast<std::size_t>(placement.shape().dimensions()), 0) {
    if (placement.ranks() > most_routed) return;
    routes_ = Routes::dimension_ordered(placement.shape());
    words_.assign(routes_->network().links().size(), 0);
    last_tree_.assign(words_.size(), 0);
  }

  /// The ranks whose messages must be added.
  const std::vector<int>& followed() const { return followed_; }
  /// The places of a line whose messages must be added. Each stands for equally many.
  std::vector<int> places_of_line(int ranks) const {
    constexpr int some = 48;
    return spread_evenly(ranks, some, routes_ || ranks <= some);
  }

  void send(int from, int to, double words) {
    if (!routes_) return send_like_others(node_of(from), node_of(to), words);
    for (const int link : route(from, to, HalfWay::in_turn))
      words_[static_cast<std::size_t>(link)] += words;
  }

  /// Adds a multicast to several ranks by two trees, which go round rings in opposite directions.
  /// The multicast crosses each link of the routes once.
  void multicast(int from, std::span<const int> to, double words) {
    if (to.size() == 1) return send(from, to.front(), words);
    if (!routes_) return multicast_like_others(node_of(from), to, words);
    for (const auto half_way : {HalfWay::in_turn, HalfWay::the_other}) {
      ++tree_;
      for (const int receiver : to) {
        for (const int link : route(from, receiver, half_way)) {
          const auto index = static_cast<std::size_t>(link);
          if (std::exchange(last_tree_[index], tree_) != tree_) words_[index] += words / 2;
        }
      }
    }
  }

  /// Ends a step. Returns the most words that any link carried in it.
  double take_busiest() {
    const double most = words_.empty() ? 0 : std::ranges::max(words_);
    std::ranges::fill(words_, 0);
    return most;
  }

 private:
  static constexpr int most_routed = 256;

  NodeIndex node_of(int rank) const { return placement_.location(rank).node; }

  /// The route between two ranks, cached because the same ranks send to each other in every step.
  const std::vector<int>& route(int from, int to, HalfWay half_way) {
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

  void add_hops(int axis, bool upwards, double hops_and_words) {
    constexpr double in_the_middle = 1.5;
    const Shape& shape = placement_.shape();
    const double of_all = static_cast<double>(placement_.ranks()) /
                          static_cast<double>(followed_.size()) /
                          static_cast<double>(shape.nodes());
    words_[2 * static_cast<std::size_t>(axis) + (upwards ? 1 : 0)] +=
        hops_and_words * of_all * (shape.wraps(axis) ? 1 : in_the_middle);
  }

  void send_like_others(NodeIndex from, NodeIndex to, double words) {
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

  void multicast_like_others(NodeIndex from, std::span<const int> to, double words) {
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

  const Placement& placement_;
  std::vector<int> followed_;
  std::optional<Routes> routes_;                        // unset if some ranks stand for all
  std::array<std::vector<std::vector<int>>, 2> known_;  // by way, sender and receiver
  std::vector<double> words_;  // by link; if some ranks stand for all, by axis and direction
  std::vector<std::size_t> last_tree_;  // by link: the tree that used the link last
  std::size_t tree_ = 0;
};

/// One of the exchanges along an axis, which share a face and follow one another.
struct Stage {
  std::size_t split = 0;
  double words = 0;  ///< words that each rank has before the exchange
};

std::vector<Stage> stages_of(const BrickGrid& bricks, WorkAxis across, double face) {
  std::vector<Stage> stages;
  double words = face / bricks.parts(across);
  for (std::size_t split = 0; split < bricks.splits().size(); ++split) {
    if (bricks.splits()[split].along != across) continue;
    stages.push_back({split, words});
    words *= bricks.splits()[split].parts;
  }
  return stages;
}

/// Every rank sends its part to the ranks that differ from it only in the part of one split.
void exchange(RoutedLoad& load, const BrickGrid& bricks, const Stage& stage) {
  int stride = 1;
  for (std::size_t later = stage.split + 1; later < bricks.splits().size(); ++later)
    stride *= bricks.splits()[later].parts;
  std::vector<int> others;
  for (const int rank : load.followed()) {
    if (rank >= bricks.ranks()) continue;
    const int mine = bricks.digit(rank, stage.split);
    others.clear();
    for (int part = 0; part < bricks.splits()[stage.split].parts; ++part) {
      if (part != mine) others.push_back(rank + (part - mine) * stride);
    }
    load.multicast(rank, others, stage.words);
  }
}

}  // namespace

BusiestLink busiest_link_of_srumma(const GridShape& grid, const ProductSize& size,
                                   const Placement& placement) {
  const auto along_rows = BlockCyclic<Inner>::even(size.k, grid.columns());
  const auto along_columns = BlockCyclic<Inner>::even(size.k, grid.rows());
  const double height = static_cast<double>(size.m) / grid.rows();
  const double breadth = static_cast<double>(size.n) / grid.columns();
  RoutedLoad load(placement);
  const auto columns = load.places_of_line(grid.columns()), rows = load.places_of_line(grid.rows());
  const double as_many_columns = grid.columns() / static_cast<double>(columns.size());
  const double as_many_rows = grid.rows() / static_cast<double>(rows.size());
  for (const int rank : load.followed()) {
    const auto here = grid.position(rank);
    if (!here) continue;
    for (const int column : columns) {
      const auto depth = static_cast<double>(along_rows.local_extent(column));
      load.send(grid.rank({here->row, column}), rank, as_many_columns * height * depth);
    }
    for (const int row : rows) {
      const auto depth = static_cast<double>(along_columns.local_extent(row));
      load.send(grid.rank({row, here->column}), rank, as_many_rows * breadth * depth);
    }
  }
  return {.operands = load.take_busiest()};
}

BusiestLink busiest_link_of_bricks(const BrickGrid& bricks, const Placement& placement) {
  const auto& [m, n, k] = bricks.size();
  const auto face = [&](std::int64_t one, WorkAxis along, std::int64_t other, WorkAxis across) {
    return static_cast<double>(one) / bricks.parts(along) * static_cast<double>(other) /
           bricks.parts(across);
  };
  using enum WorkAxis;
  const auto of_a = stages_of(bricks, columns, face(m, rows, k, inner));
  const auto of_b = stages_of(bricks, rows, face(k, inner, n, columns));
  RoutedLoad load(placement);
  BusiestLink busiest;
  for (std::size_t stage = 0; stage < std::max(of_a.size(), of_b.size()); ++stage) {
    if (stage < of_a.size()) exchange(load, bricks, of_a[stage]);
    if (stage < of_b.size()) exchange(load, bricks, of_b[stage]);
    busiest.operands += load.take_busiest();
  }
  for (const Stage& stage : stages_of(bricks, inner, face(m, rows, n, columns))) {
    exchange(load, bricks, stage);
    busiest.sums += load.take_busiest();
  }
  return busiest;
}

}  // namespace cuboid::detail
