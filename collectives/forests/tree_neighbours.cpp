#include "collectives/forests/tree_neighbours.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

namespace cuboid::detail {

namespace {

// Numbers the ranks upwards from the root, which is 0; after the last rank comes rank 0.
class FromRoot {
 public:
  FromRoot(int ranks, int root) : ranks_(ranks), root_(root) {}
  int number(int rank) const { return (rank - root_ + ranks_) % ranks_; }
  int rank(std::int64_t number) const { return static_cast<int>((number + root_) % ranks_); }

 private:
  int ranks_;
  int root_;
};

// The part of rank `number` (0: the root) in a tree of consecutive binomial subtrees of `count`
// ranks. The tree starts at rank `first` and goes in one direction.
TreeNeighbours consecutive_binomial(int first, int count, int number, int direction) {
  TreeNeighbours neighbours;
  while (number != 0) {
    const int distance = static_cast<int>(std::bit_floor(static_cast<unsigned>(number)));
    neighbours.parent = first;
    first += direction * distance;
    count = std::min(distance, count - distance);
    number -= distance;
  }
  for (int distance = 1; distance < count; distance *= 2)
    neighbours.children.push_back(first + direction * distance);
  return neighbours;
}

}  // namespace

TreeNeighbours flat_neighbours(int ranks, int root, int rank) {
  if (rank != root) return {root, {}};
  TreeNeighbours neighbours;
  for (int offset = 1; offset < ranks; ++offset)
    neighbours.children.push_back((root + offset) % ranks);
  return neighbours;
}

TreeNeighbours binomial_neighbours(int ranks, int root, int rank) {
  return knomial_neighbours(ranks, root, rank, 2);
}

TreeNeighbours chain_neighbours(int ranks, int root, int rank) {
  const FromRoot from_root(ranks, root);
  const int number = from_root.number(rank);
  TreeNeighbours neighbours;
  if (number > 0) neighbours.parent = from_root.rank(number - 1);
  if (number + 1 < ranks) neighbours.children.push_back(from_root.rank(number + 1));
  return neighbours;
}

TreeNeighbours downward_chain_neighbours(int ranks, int root, int rank) {
  const int number = (root - rank + ranks) % ranks;
  TreeNeighbours neighbours;
  if (number > 0) neighbours.parent = (rank + 1) % ranks;
  if (number + 1 < ranks) neighbours.children.push_back((rank - 1 + ranks) % ranks);
  return neighbours;
}

TreeNeighbours in_order_neighbours(int ranks, int root, int rank) {
  if (rank < root) return consecutive_binomial(root, root + 1, root - rank, -1);
  TreeNeighbours above = consecutive_binomial(root, ranks - root, rank - root, +1);
  if (rank > root) return above;
  TreeNeighbours neighbours = consecutive_binomial(root, root + 1, 0, -1);
  neighbours.children.insert(neighbours.children.end(), above.children.begin(),
                             above.children.end());
  return neighbours;
}

TreeNeighbours binary_neighbours(int ranks, int root, int rank) {
  const FromRoot from_root(ranks, root);
  const std::int64_t number = from_root.number(rank);
  TreeNeighbours neighbours;
  if (number > 0) neighbours.parent = from_root.rank((number - 1) / 2);
  for (const std::int64_t child : {2 * number + 1, 2 * number + 2}) {
    if (child < ranks) neighbours.children.push_back(from_root.rank(child));
  }
  return neighbours;
}

TreeNeighbours knomial_neighbours(int ranks, int root, int rank, int radix) {
  const FromRoot from_root(ranks, root);
  const std::int64_t number = from_root.number(rank);
  TreeNeighbours neighbours;
  // The place value of the lowest digit that is not 0. The parent's number has 0 there.
  std::int64_t level = 1;
  if (number == 0) {
    while (level < ranks) level *= radix;
  } else {
    while (number / level % radix == 0) level *= radix;
    neighbours.parent = from_root.rank(number - number / level % radix * level);
  }
  for (std::int64_t distance = level / radix; distance >= 1; distance /= radix) {
    for (std::int64_t child = number + distance; child < number + distance * radix;
         child += distance) {
      if (child < ranks) neighbours.children.push_back(from_root.rank(child));
    }
  }
  return neighbours;
}

std::array<TreeNeighbours, 2> double_binary_neighbours(int ranks, int root, int rank) {
  // The same positions as in double_binary_trees().
  const int n = ranks - 1;
  const FromRoot from_root(ranks, root);
  const int number = from_root.number(rank);
  const auto neighbours_at = [n](int position) {
    TreeNeighbours neighbours;
    if (position == 0) {
      if (n > 0)
        neighbours.children.push_back(static_cast<int>(std::bit_floor(static_cast<unsigned>(n))));
      return neighbours;
    }
    const int lowest = position & -position;
    const int above = (position ^ lowest) | (lowest << 1);
    neighbours.parent = above <= n ? above : position ^ lowest;
    if (lowest == 1) return neighbours;
    neighbours.children.push_back(position - lowest / 2);
    // The right subtree may be cut off. Then its root is the highest position that is left.
    const int right = n - position;
    if (right > 0) {
      const int whole = static_cast<int>(std::bit_floor(static_cast<unsigned>(right)));
      neighbours.children.push_back(position + std::min(lowest / 2, whole));
    }
    return neighbours;
  };
  const auto mirrored = [n](int position) {
    if (position == 0) return 0;
    return n % 2 == 0 ? n + 1 - position : position % n + 1;
  };
  const auto position_in_second = [n](int place) {
    if (place == 0) return 0;
    return n % 2 == 0 ? n + 1 - place : (place + n - 2) % n + 1;
  };
  std::array<TreeNeighbours, 2> both = {neighbours_at(number),
                                        neighbours_at(position_in_second(number))};
  for (std::size_t tree = 0; tree < 2; ++tree) {
    const auto rank_at = [&](int position) {
      return from_root.rank(tree == 0 ? position : mirrored(position));
    };
    if (both[tree].parent) both[tree].parent = rank_at(*both[tree].parent);
    for (int& child : both[tree].children) child = rank_at(child);
  }
  return both;
}

}  // namespace cuboid::detail
