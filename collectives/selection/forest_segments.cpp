#include "collectives/selection/forest_segments.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

double edges_of(const Forest& forest) {
  double edges = 0;
  for (const Tree& tree : forest.trees) edges += static_cast<double>(tree.edges.size());
  return edges;
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

}  // namespace cuboid::detail
