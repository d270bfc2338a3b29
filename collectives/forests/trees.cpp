#include <cuboid/collectives/forests/trees.hpp>

#include <algorithm>
#include <bit>

namespace cuboid {

namespace {

// Binomial tree over `count` consecutive ranks that start at `first` and go in `direction`; `first`
// is its root and each subtree consecutive. Appends the edges, nearest child (smallest subtree)
// first.
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
  // Relative to the root, rank v is reached in the step of its lowest set bit, by v without it.
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

}  // namespace cuboid
