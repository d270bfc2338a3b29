#pragma once

#include <cuboid/network.hpp>

#include "base/recent_cache.hpp"
#include "collectives/forests/packed.hpp"

#include <mutex>
#include <vector>

namespace cuboid::detail {

/// Trees that were packed before: packing takes milliseconds, and each call of another length would
/// pack the same. Keeps the last ones used. Any thread may ask.
class TreeCache {
 public:
  /// packed_trees(), or trees_both_ways(), which choose their roots.
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
