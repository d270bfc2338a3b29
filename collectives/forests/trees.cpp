#include "collectives/forests/trees.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

// Appends the edges of a binomial tree over `count` consecutive ranks, which start at `first` and
// go in `direction`. Rank `first` is the root, each subtree has consecutive ranks, and the nearest
// child (with the smallest subtree) comes first.
void append_consecutive_binomial(std::vector<Edge>& edges, int first, int count, int direction) {
  for (int distance = 1; distance < count; distance *= 2) {
    edges.push_back({first, first + direction * distance});
  }
  for (int distance = 1; distance < count; distance *= 2) {
    const int subtree = std::min(distance, count - distance);
    append_consecutive_binomial(edges, first + direction * distance, subtree, direction);
  }
}

}  // namespace

std::vector<Edge> flat_tree(int ranks, int root) {
  std::vector<Edge> edges;
  for (int offset = 1; offset < ranks; ++offset) edges.push_back({root, (root + offset) % ranks});
  return edges;
}

std::vector<Edge> binomial_tree(int ranks, int root) {
  std::vector<Edge> edges;
  // Relative to the root, rank v is reached in the step of its lowest set bit, from v without this
  // bit.
  const int steps = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  for (int step = steps - 1; step >= 0; --step) {
    const int distance = 1 << step;
    for (int parent = 0; parent + distance < ranks; parent += 2 * distance) {
      edges.push_back({(parent + root) % ranks, (parent + distance + root) % ranks});
    }
  }
  return edges;
}

std::vector<Edge> chain(int ranks, int root) {
  std::vector<Edge> edges;
  for (int hop = 1; hop < ranks; ++hop)
    edges.push_back({(root + hop - 1) % ranks, (root + hop) % ranks});
  return edges;
}

std::vector<Edge> in_order_tree(int ranks, int root) {
  std::vector<Edge> edges;
  append_consecutive_binomial(edges, root, root + 1, -1);
  append_consecutive_binomial(edges, root, ranks - root, +1);
  return edges;
}

std::vector<Edge> binary_tree(int ranks, int root) {
  std::vector<Edge> edges;
  for (int child = 1; child < ranks; ++child)
    edges.push_back({((child - 1) / 2 + root) % ranks, (child + root) % ranks});
  return edges;
}

std::vector<Edge> knomial_tree(int ranks, int root, int radix) {
  std::vector<Edge> edges;
  // In level t, from the last to the first, ranks whose last t + 1 digits are 0 send to the ranks
  // that differ from them only in digit t.
  std::int64_t distance = 1;
  while (distance * radix < ranks) distance *= radix;
  for (; distance >= 1; distance /= radix) {
    for (std::int64_t parent = 0; parent < ranks; parent += distance * radix) {
      for (std::int64_t child = parent + distance;
           child < std::min<std::int64_t>(ranks, parent + distance * radix); child += distance) {
        edges.push_back(
            {static_cast<int>((parent + root) % ranks), static_cast<int>((child + root) % ranks)});
      }
    }
  }
  return edges;
}

std::array<std::vector<Edge>, 2> double_binary_trees(int ranks, int root) {
  // All ranks except the root (position 0) have positions 1 … n in a binary tree that is numbered
  // in order, so odd positions are leaves. The parent of v is v with its lowest bit cleared and the
  // next bit set; if that exceeds n, v with only the lowest bit cleared.
  const int n = ranks - 1;
  const auto parent_of = [n](int position) {
    const int lowest = position & -position;
    const int above = (position ^ lowest) | (lowest << 1);
    return above <= n ? above : position ^ lowest;
  };
  // The second tree is the first, mirrored or moved on by one, so its leaves are the even
  // positions.
  const auto in_second = [n](int position) {
    if (position == 0) return 0;
    return n % 2 == 0 ? n + 1 - position : position % n + 1;
  };
  const auto rank = [&](int position) { return (position + root) % ranks; };
  std::array<std::vector<Edge>, 2> trees;
  // Outwards, because the lowest bit of a parent is higher than the lowest bits of its children.
  const int highest = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(n, 1))));
  for (int lowest = highest; lowest >= 1; lowest /= 2) {
    for (int position = lowest; position <= n; position += 2 * lowest) {
      const int parent = parent_of(position);
      trees[0].push_back({rank(parent), rank(position)});
      trees[1].push_back({rank(in_second(parent)), rank(in_second(position))});
    }
  }
  return trees;
}

std::vector<Edge> downward_chain(int ranks, int root) {
  std::vector<Edge> edges;
  for (int hop = 1; hop < ranks; ++hop)
    edges.push_back({(root - hop + 1 + ranks) % ranks, (root - hop + ranks) % ranks});
  return edges;
}

}  // namespace cuboid::detail
