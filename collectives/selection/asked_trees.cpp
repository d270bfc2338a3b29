#include "collectives/selection/asked_trees.hpp"

#include "collectives/evaluation/segments.hpp"
#include "collectives/evaluation/shape_of_ranks.hpp"
#include "collectives/selection/deepest_branch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace cuboid::detail {

namespace {

// The most parts of trees that are inspected, and the most and fewest nodes that are asked.
constexpr std::size_t most_parts = 2048;
constexpr int most_nodes_of_trees = 96;
constexpr int fewest_nodes_of_trees = 3;

// A rank has at least one message for each tree and neighbour.
double messages_of(const ForestPart& part) {
  double messages = 0;
  for (const TreePart& tree : part.trees)
    messages +=
        static_cast<double>(tree.neighbours.children.size()) + (tree.neighbours.parent ? 1.0 : 0.0);
  return messages;
}

// Conditions with only the first block, which belongs to a rank in a corner.
Conditions one_block_of(const Conditions& all) {
  Conditions one{all.ranks, {}};
  if (!all.blocks.empty()) one.blocks.push_back(all.blocks.front());
  return one;
}

}  // namespace

AskedTrees::AskedTrees(const Call& call, const Algorithm& algorithm, const Settings& settings,
                       const Conditions& conditions)
    : call_(call),
      algorithm_(algorithm),
      settings_(settings),
      conditions_(conditions),
      flow_(call.flow()),
      followed_settings_(settings),
      followed_(one_block_of(conditions)),
      at_once_(static_cast<double>(std::max<std::size_t>(conditions.blocks.size(), 1)) *
               std::max(settings.roots, 1)) {
  followed_settings_.roots = 1;
}

// True if the messages from the root to some distant ranks, each alone, take at least `seconds`. Of
// each branch the last edges are followed, at most `most_edges`.
bool AskedTrees::has_a_longer_branch(double seconds, int most_edges) {
  const GroupCostModel& cost_model = call_.cost_model;
  const GroupNodes& group = cost_model.nodes;
  const int ranks = call_.ranks();
  const int root = call_.collective.root;
  for (const int start : {ranks - 1, (root + ranks / 2) % ranks, (root + ranks - 1) % ranks}) {
    double way = 0;
    int rank = start;
    for (int edge = 0; edge < most_edges; ++edge) {
      const auto& parent = followed_part(rank).trees.front().neighbours.parent;
      if (!parent) break;
      const int from = group.node_of(*parent);
      const int to = group.node_of(rank);
      const double links = group.shape ? group.shape->distance(from, to) : 1;
      way += from == to ? cost_model.node.alpha
                        : cost_model.network.alpha + cost_model.hop_seconds * (links - 1);
      if (way >= seconds) return true;
      rank = *parent;
    }
  }
  return false;
}

// The least seconds in which a rank handles that number of messages.
double AskedTrees::least_handling(double messages) const {
  const double each = call_.on_one_node() ? 0 : call_.cost_model.between_nodes().send_overhead;
  return messages * each / call_.most_on_a_node();
}

bool AskedTrees::are_too_much(double seconds, double most_messages) {
  // Each block of another rank arrives in a message of its own.
  const double blocks = static_cast<double>(conditions_.blocks.size()) - 1;
  if (!call_.on_one_node() &&
      blocks / call_.most_on_a_node() * call_.cost_model.between_nodes().receive_overhead >=
          seconds)
    return true;
  constexpr int few_edges = 100;
  if (has_a_longer_branch(seconds, few_edges)) return true;
  const auto of_root =
      std::get<ForestPart>(algorithm_.part(call_, conditions_, settings_, call_.collective.root));
  const double messages = messages_of(of_root);
  if (messages > most_messages || least_handling(messages) >= seconds) return true;
  look_at_ranks(of_root);
  return busiest(static_cast<double>(longest_slice_)) >= seconds ||
         has_a_longer_branch(seconds, call_.ranks());
}

const ForestPart& AskedTrees::followed_part(int rank) {
  const auto [found, is_new] = parts_.try_emplace(rank);
  if (is_new)
    found->second =
        std::get<ForestPart>(algorithm_.part(call_, followed_, followed_settings_, rank));
  return found->second;
}

int AskedTrees::root_of_followed() {
  int rank = call_.collective.root;
  while (const auto parent = followed_part(rank).trees.front().neighbours.parent) rank = *parent;
  return rank;
}

// Seconds until the first segments of all trees out of a root have arrived everywhere.
double AskedTrees::exact_way(Flow flow, double bytes) {
  std::vector<TreeNeighboursOf> trees;
  for (std::size_t tree = 0; tree < followed_part(call_.collective.root).trees.size(); ++tree) {
    trees.push_back([this, tree](int rank) { return followed_part(rank).trees[tree].neighbours; });
  }
  return deepest_branch_seconds(call_, trees, root_of_followed(), flow, bytes);
}

// The result of exact_way(), interpolated linearly between two lengths.
double AskedTrees::way(Flow flow, double bytes) {
  const auto most = static_cast<double>(std::min(longest_slice_, greatest_segment_of(call_)));
  const auto [found, is_new] = ways_.try_emplace(flow);
  if (is_new) found->second = {exact_way(flow, 0), exact_way(flow, most)};
  const auto [of_nothing, of_most] = found->second;
  return of_nothing + (of_most - of_nothing) * bytes / most;
}

void AskedTrees::look_at_ranks(const ForestPart& of_root) {
  const int root = call_.collective.root;
  for (const TreePart& tree : of_root.trees)
    longest_slice_ = std::max(longest_slice_, tree.slice.bytes);
  const auto nodes = static_cast<int>(most_parts / std::max<std::size_t>(of_root.trees.size(), 1));
  const NetworkLines lines(call_, std::clamp(nodes, fewest_nodes_of_trees, most_nodes_of_trees));
  NetworkLines::Load links(lines);
  work_.resize(lines.ranks().size());
  for (std::size_t number = 0; number < work_.size(); ++number) {
    const int rank = lines.ranks()[number];
    if (rank == root) {
      add(number, rank, of_root, links);
    } else {
      add(number, rank, std::get<ForestPart>(algorithm_.part(call_, conditions_, settings_, rank)),
          links);
    }
  }
  // A node receives at most as fast as all its links carry.
  on_link_ = std::max(links.busiest(), taken_in_ / links_of_root());
}

// The links of a node, counted in links of the slowest rate.
double AskedTrees::links_of_root() const {
  const GroupNodes& group = call_.cost_model.nodes;
  if (!group.shape) return 1;
  const std::vector<double> rates = relative_rates(group);
  double links = 0;
  for (int axis = 0; axis < group.shape->dimensions(); ++axis) {
    const int extent = group.shape->extent(axis);
    if (extent == 1) continue;
    const double ways = group.shape->wraps(axis) || extent > 2 ? 2 : 1;
    links += ways * (rates.empty() ? 1 : rates[static_cast<std::size_t>(axis)]);
  }
  return std::max(links, 1.0);
}

void AskedTrees::add(std::size_t number, int rank, const ForestPart& part,
                     NetworkLines::Load& links) {
  const GroupNodes& group = call_.cost_model.nodes;
  const int node = group.node_of(rank);
  std::vector<TreeWork>& all = work_[number];
  double from_others = 0;
  for (const TreePart& tree : part.trees) {
    const auto slice = static_cast<double>(tree.slice.bytes);
    if (all.empty() || all.back().slice != slice) all.push_back({.slice = slice});
    TreeWork& work = all.back();
    const auto send = [&](int to) {
      const int there = group.node_of(to);
      links.add(node, there, slice);
      ++(there == node ? work.read : work.sent);
    };
    const auto receive = [&](int from, bool combines) {
      const bool near = group.node_of(from) == node;
      ++(near ? work.within : work.received);
      if (combines) ++work.combined;
      if (!near) from_others += slice;
    };
    if (flow_ != Flow::combine) {
      for (const int child : tree.neighbours.children) send(child);
      if (tree.neighbours.parent) receive(*tree.neighbours.parent, false);
    }
    if (flow_ != Flow::multicast) {
      for (const int child : tree.neighbours.children) receive(child, true);
      if (tree.neighbours.parent) send(*tree.neighbours.parent);
    }
  }
  taken_in_ = std::max(taken_in_, from_others);
  double combining = 0;
  for (const TreeWork& work : all)
    combining += call_.cost_model.node.beta * work.slice * work.combined;
  cost_of_combining_ = std::max(cost_of_combining_, combining);
}

// The seconds in which the busiest of the asked ranks handles its messages. If ranks share cores,
// at least the seconds in which the cores handle the messages of all ranks.
double AskedTrees::handled(double segment) const {
  const GroupCostModel& cost_model = call_.cost_model;
  const LogGP network = cost_model.between_nodes();
  const double source = cost_model.source_bytes_per_second > 0
                            ? 1 / cost_model.source_bytes_per_second
                            : cost_model.node.beta;
  double most = 0;
  double messages = 0;
  double bytes = 0;
  for (const std::vector<TreeWork>& of_rank : work_) {
    double seconds = 0;
    double read = 0;
    for (const TreeWork& work : of_rank) {
      const double segments = std::max(1.0, std::ceil(work.slice / segment));
      seconds +=
          segments * (work.sent * network.send_overhead + work.received * network.receive_overhead +
                      work.within * cost_model.overhead) +
          work.slice * cost_model.node.beta * (work.within + work.combined);
      read += work.slice * work.read;
      messages += segments * work.received;
      bytes += work.slice * work.received;
    }
    most = std::max({most, seconds, read * source});
  }
  const double all = static_cast<double>(call_.ranks()) / static_cast<double>(work_.size());
  return std::max(most, call_.core_seconds(all * messages, all * bytes));
}

double AskedTrees::busiest(double segment) const {
  const GroupCostModel& cost_model = call_.cost_model;
  return std::max({handled(segment), cost_model.network.beta * on_link_,
                   cost_model.injection_seconds(taken_in_ * call_.most_on_a_node())});
}

double AskedTrees::seconds(std::size_t segment_bytes) {
  const auto slice = static_cast<double>(longest_slice_);
  const double segment =
      std::min(static_cast<double>(std::max<std::size_t>(segment_bytes, 1)), slice);
  const double segments = std::ceil(slice / segment);
  const double after_first = 1 - 1 / (segments * at_once_);
  const double busy = busiest(segment);
  if (flow_ != Flow::combine_then_multicast) {
    const double first = way(flow_, segment);
    if (at_once_ <= 1) return first + busy * after_first;
    return std::max(first, way(flow_, 0) + busy);
  }
  // Segments go outwards as soon as all contributions to them have come in. The more nodes combine
  // a part, the sooner all links are in use.
  const double inwards = cost_of_combining_ + call_.cost_model.network.beta * on_link_ / 2;
  const double outwards = call_.cost_model.network.beta * on_link_ / 2;
  const double one_after_the_other = inwards + outwards / segments;
  const double quiet = 1 - at_once_ / std::max(call_.ranks(), 1);
  return std::max(quiet, 0.0) * way(Flow::combine, segment) + way(Flow::multicast, segment) +
         std::max(busy, one_after_the_other) * after_first;
}

}  // namespace cuboid::detail
