#pragma once

#include <cuboid/network.hpp>

#include "collectives/forests/packed.hpp"

#include <cstddef>
#include <list>
#include <mutex>
#include <vector>

namespace cuboid::detail {

/// A cache of packed trees. Packing takes milliseconds, and calls of any length need the same
/// trees. Keeps the trees that were used last. Any thread may call it.
class KeptTrees {
 public:
  /// The result of packed_trees(), or of trees_both_ways(), which chooses its roots itself.
  std::vector<PackedTree> get(const Network& network, const std::vector<int>& roots,
                              bool both_ways);

 private:
  struct Kept {
    std::vector<Link> links;
    std::vector<int> roots;
    bool both_ways;
    std::vector<PackedTree> trees;
  };
  static constexpr std::size_t most = 64;
  std::mutex mutex_;
  std::list<Kept> kept_;  // the entry used last comes first
};

}  // namespace cuboid::detail
