#include "collectives/selection/deepest_branch.hpp"

#include "topology/network/routing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

// The number of ranks of each level that are followed. They are chosen from the ranks that have
// most children.
constexpr std::ptrdiff_t followed_ranks = 2;
constexpr std::ptrdiff_t looked_at_ranks = 4;
// Only chains have more levels, and a chain's last rank is known.
constexpr int looked_ahead_levels = 32;
constexpr int most_levels = 4096;

// A rank that has a tree's segment.
struct Holder {
  int rank = 0;
  std::size_t tree = 0;
  double since = 0;
  std::vector<int> children = {};
  double promised = 0;  // an estimate of the time when the last rank below it has the segment
};

// A cache of the ranks' children in the trees: they are needed for each direction, and to look
// ahead.
class KnownChildren {
 public:
  explicit KnownChildren(std::span<const TreeNeighboursOf> trees)
      : trees_(trees), known_(trees.size()) {}

  std::size_t trees() const { return trees_.size(); }

  const std::vector<int>& of(std::size_t tree, int rank) {
    const auto [found, is_new] = known_[tree].try_emplace(rank);
    if (is_new) found->second = trees_[tree](rank).children;
    return found->second;
  }

 private:
  std::span<const TreeNeighboursOf> trees_;
  std::vector<std::unordered_map<int, std::vector<int>>> known_;  // by tree and rank
};

class Branches {
 public:
  Branches(const Call& call, KnownChildren& children, int root, double bytes, Flow flow)
      : cost_model_(call.cost_model),
        children_(children),
        root_(root),
        bytes_(bytes),
        inwards_(flow == Flow::combine),
        network_(cost_model_.between_nodes()) {}

  double seconds() {
    std::vector<Holder> level;
    for (std::size_t tree = 0; tree < children_.trees(); ++tree)
      level.push_back({root_, tree, 0, children_.of(tree, root_)});
    // The root sends in all trees at once. Each other rank is followed in its own tree.
    level = next_level(level);
    for (int levels = 0; !level.empty(); ++levels) {
      if (levels == most_levels) return std::numeric_limits<double>::infinity();
      std::vector<Holder> next;
      for (const Holder& holder : level) {
        for (Holder& child : next_level(std::span(&holder, 1))) next.push_back(std::move(child));
      }
      level = most_promising(std::move(next));
    }
    return latest_;
  }

 private:
  // The way of a message: its first link (axis, and up or down) and the number of its links.
  struct Way {
    int first = 0;
    int links = 0;
    bool within_node = false;
    // True if messages of the same level of other trees share links with this message. They do if
    // the messages cross several links along the axis of neighbouring ranks, and no other axis.
    // Messages that go halfway round a ring go opposite ways and do not meet. If that axis does not
    // wrap, messages to the next line go back along it, and meet, too.
    bool meets_other_trees = false;
  };

  Way way(int parent, int child) const {
    const GroupNodes& nodes = cost_model_.nodes;
    const int from = nodes.node_of(inwards_ ? child : parent);
    const int to = nodes.node_of(inwards_ ? parent : child);
    if (from == to) return {.first = -1, .within_node = true};
    if (!nodes.shape) return {.links = 1};
    return along_axes(*nodes.shape, from, to);
  }

  // The way that append_route() takes: axis 0 first. Routes out of a node that share any link share
  // their first link; routes into a node that share any link share their last link.
  Way along_axes(const Shape& shape, NodeIndex from, NodeIndex to) const {
    Way way;
    std::optional<int> along_last;
    bool last_wraps = false;
    const int destination = sum_of_positions(shape, to);
    NodeIndex stride = 1;
    for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
      const int extent = shape.extent(axis);
      const auto position = [&](NodeIndex node) {
        return static_cast<int>(node / stride % extent);
      };
      const int end = position(to);
      const int steps =
          steps_of_route(shape, axis, position(from), end, destination - end, HalfWay::in_turn);
      stride *= extent;
      if (extent > 1 && !along_last) {
        const bool half_way = shape.wraps(axis) && 2 * std::abs(steps) == extent;
        along_last = half_way ? 0 : std::abs(steps);
        last_wraps = shape.wraps(axis);
      }
      if (steps == 0) continue;
      if (!inwards_ || way.links == 0) way.first = 2 * axis + (steps > 0 ? 1 : 0);
      way.links += std::abs(steps);
    }
    way.meets_other_trees = along_last > 1 && (along_last == way.links || !last_wraps);
    return way;
  }

  static int sum_of_positions(const Shape& shape, NodeIndex node) {
    int sum = 0;
    for (int axis = shape.dimensions() - 1; axis >= 0; --axis) {
      sum += static_cast<int>(node % shape.extent(axis));
      node /= shape.extent(axis);
    }
    return sum;
  }

  struct Send {
    Holder child;
    Way way;
    double begun = 0;
  };

  // The messages that a rank has sent over a link so far.
  struct Shared {
    double begun = 0;
    int messages = 0;
  };

  std::vector<Send> sends_of(std::span<const Holder> holders) const {
    const double each =
        inwards_ ? network_.receive_overhead + combine_seconds() : network_.send_overhead;
    std::vector<Send> sends;
    for (const Holder& holder : holders) {
      for (const int child : holder.children) {
        const double begun = network_.send_overhead + each * static_cast<double>(sends.size());
        sends.push_back({{child, holder.tree, holder.since}, way(holder.rank, child), begun});
      }
    }
    return sends;
  }

  // The children that have children themselves, of a rank in one tree or several, with the times at
  // which they have the segment.
  std::vector<Holder> next_level(std::span<const Holder> holders) {
    std::vector<Send> sends = sends_of(holders);
    std::map<int, Shared> on_links;
    const auto count = [&](const Send& send) {
      Shared& shared = on_links.try_emplace(send.way.first, Shared{send.begun, 0}).first->second;
      ++shared.messages;
      return shared;
    };
    if (!inwards_) std::ranges::for_each(sends, count);
    std::vector<Holder> reached;
    for (Send& send : sends) {
      const Shared shared = inwards_ ? count(send) : on_links[send.way.first];
      send.child.since += arrival(send, shared);
      latest_ = std::max(latest_, send.child.since);
      send.child.children = children_.of(send.child.tree, send.child.rank);
      if (!send.child.children.empty()) reached.push_back(std::move(send.child));
    }
    return reached;
  }

  double arrival(const Send& send, const Shared& shared) const {
    if (send.way.within_node)
      return send.begun + cost_model_.node.alpha + cost_model_.node.beta * bytes_;
    // The root's messages in all trees are counted one by one.
    const bool of_root = send.child.since == 0;
    const double trees =
        send.way.meets_other_trees && !of_root ? static_cast<double>(children_.trees()) : 1;
    const double on_link = trees * network_.byte_gap * bytes_;
    return std::max(send.begun + on_link, shared.begun + shared.messages * on_link) +
           network_.latency + cost_model_.hop_seconds * (send.way.links - 1) +
           network_.receive_overhead + combine_seconds() + waiting_for_other_trees();
  }

  // A node gets a segment of every tree at about the same time. On average half of the other trees'
  // segments come first.
  double waiting_for_other_trees() const {
    const double others = static_cast<double>(children_.trees()) - 1;
    return others / 2 * (network_.receive_overhead + combine_seconds());
  }

  double combine_seconds() const { return inwards_ ? cost_model_.node.beta * bytes_ : 0; }

  // The number of levels below a rank. Every tree has its deepest branch below a rank's first child
  // or, if the nearest child is served first, below its last child.
  int height(const Holder& holder) const {
    const int below_first =
        height_below(holder, [](const auto& children) { return children.front(); });
    if (below_first > 1 || holder.children.size() < 2) return below_first;
    return height_below(holder, [](const auto& children) { return children.back(); });
  }

  template <class Next>
  int height_below(const Holder& holder, const Next& next) const {
    int levels = 0;
    const std::vector<int>* children = &holder.children;
    for (; !children->empty() && levels < looked_ahead_levels; ++levels)
      children = &children_.of(holder.tree, next(*children));
    return levels;
  }

  std::vector<Holder> most_promising(std::vector<Holder> holders) const {
    if (std::ssize(holders) <= followed_ranks) return holders;
    const auto keep = [&](std::ptrdiff_t most, const auto& worth) {
      if (std::ssize(holders) <= most) return;
      std::ranges::partial_sort(holders, holders.begin() + most, std::greater(), worth);
      holders.resize(static_cast<std::size_t>(most));
    };
    const double step = cost_model_.slowest().alpha + network_.byte_gap * bytes_;
    keep(looked_at_ranks,
         [](const Holder& holder) { return std::pair(holder.children.size(), holder.since); });
    for (Holder& holder : holders) holder.promised = holder.since + step * height(holder);
    keep(followed_ranks, [](const Holder& holder) { return holder.promised; });
    return holders;
  }

  const GroupCostModel& cost_model_;
  KnownChildren& children_;
  int root_;
  double bytes_;
  bool inwards_;
  LogGP network_;
  double latest_ = 0;
};

}  // namespace

double deepest_branch_seconds(const Call& call, std::span<const TreeNeighboursOf> trees, int root,
                              Flow flow, double bytes) {
  KnownChildren children(trees);
  return Branches(call, children, root, bytes, flow).seconds();
}

}  // namespace cuboid::detail
