#include "collectives/selection/schedule_sizes.hpp"

#include "collectives/schedules/slices.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

double edges_of(const Forest& forest) {
  double edges = 0;
  for (const Tree& tree : forest.trees) edges += static_cast<double>(tree.edges.size());
  return edges;
}

std::size_t edges_at_roots(const Forest& forest) {
  std::ptrdiff_t edges = 0;
  for (const Tree& tree : forest.trees) {
    edges += std::ranges::count_if(tree.edges,
                                   [&](const Edge& edge) { return edge.parent == tree.root; });
  }
  return static_cast<std::size_t>(edges);
}

double messages_of_a_segment(const Forest& forest) {
  return edges_of(forest) * (forest.flow == Flow::combine_then_multicast ? 2 : 1);
}

std::size_t segments_of(const Forest& forest, const Pipelining& pipelining) {
  const std::size_t longest = std::max<std::size_t>(longest_slice(forest), 1);
  const std::size_t bytes = std::clamp<std::size_t>(pipelining.segment_bytes, 1, longest);
  return (longest + bytes - 1) / bytes;
}

double messages_of(const Forest& forest, const Pipelining& pipelining) {
  return messages_of_a_segment(forest) * static_cast<double>(segments_of(forest, pipelining));
}

double bytes_of(const Forest& forest) {
  double bytes = 0;
  for (const Tree& tree : forest.trees)
    bytes += static_cast<double>(tree.edges.size()) * static_cast<double>(tree.slice.bytes);
  return bytes * (forest.flow == Flow::combine_then_multicast ? 2 : 1);
}

std::size_t longest_slice(const Forest& forest) {
  std::size_t longest = 0;
  for (const Tree& tree : forest.trees) longest = std::max(longest, tree.slice.bytes);
  return longest;
}

Forest cut_off(Forest forest, std::size_t count, std::size_t segments) {
  const double part = static_cast<double>(count) / static_cast<double>(segments);
  for (Tree& tree : forest.trees) {
    const double bytes = std::ceil(part * static_cast<double>(tree.slice.bytes));
    tree.slice.bytes = std::min(tree.slice.bytes, static_cast<std::size_t>(bytes));
  }
  return forest;
}

std::size_t longest_tree(const Forest& forest) {
  std::size_t longest = 0;
  for (const Tree& tree : forest.trees) longest = std::max(longest, tree.edges.size());
  return longest;
}

bool are_chains(const Forest& forest) {
  return std::ranges::all_of(forest.trees, [](const Tree& tree) {
    return std::ranges::adjacent_find(tree.edges, [](const Edge& one, const Edge& next) {
             return next.parent != one.child;
           }) == tree.edges.end();
  });
}

Forest nearest_to_roots(Forest forest, std::size_t edges) {
  for (Tree& tree : forest.trees) tree.edges.resize(std::min(tree.edges.size(), edges));
  return forest;
}

std::size_t exchanges_of(const Rounds& rounds) {
  std::size_t exchanges = 0;
  for (const auto& round : rounds.rounds) exchanges += round.size();
  return exchanges;
}

std::size_t longest_exchange(const Rounds& rounds, const Conditions& conditions) {
  std::size_t longest = 0;
  for (const auto& round : rounds.rounds) {
    for (const Exchange& exchange : round)
      longest = std::max(longest, bytes_of(exchange.blocks, conditions));
  }
  return longest;
}

std::size_t messages_of(const Rounds& rounds, const Conditions& conditions,
                        const Pipelining& pipelining, std::size_t most) {
  if (rounds.packed) return exchanges_of(rounds);
  std::size_t messages = 0;
  for (const auto& round : rounds.rounds) {
    for (const Exchange& exchange : round) {
      for_each_run(exchange.blocks, conditions, pipelining.segment_bytes,
                   [&](const BlockRun&) { ++messages; });
      if (messages > most) return messages;
    }
  }
  return messages;
}

Conditions shorter(const Conditions& conditions, double share) {
  const auto part = [share](std::size_t bytes) {
    return static_cast<std::size_t>(std::ceil(share * static_cast<double>(bytes)));
  };
  Conditions shorter{.ranks = conditions.ranks};
  shorter.blocks.reserve(conditions.blocks.size());
  for (Block block : conditions.blocks) {
    const std::size_t begin = part(block.slice.offset);
    block.slice = {begin, part(block.slice.end()) - begin};
    shorter.blocks.push_back(block);
  }
  return shorter;
}

}  // namespace cuboid::detail
