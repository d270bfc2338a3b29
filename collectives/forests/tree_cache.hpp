#pragma once

#include <cuboid/network.hpp>

#include "base/recent_cache.hpp"
#include "collectives/forests/packed.hpp"

#include <mutex>
#include <vector>

namespace cuboid::detail {

/// A cache of packed trees. Packing takes milliseconds, and calls of any length need the same
/// trees. The cache keeps the trees that were used last. Any thread may call it.
class TreeCache {
 public:
  /// The result of packed_trees(), or of trees_both_ways(), which chooses its roots itself.
  std::vector<PackedTree> get(const Network& network, const std::vector<int>& roots,
                              bool both_ways);

 private:
  struct PackedNetwork {
    std::vector<Link> links;
    std::vector<int> roots;
    bool both_ways;
    bool operator==(const PackedNetwork&) const = default;
  };
  std::mutex mutex_;
  RecentCache<PackedNetwork, std::vector<PackedTree>> trees_{64};
};

}  // namespace cuboid::detail
