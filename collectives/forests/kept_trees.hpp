#pragma once

#include <cuboid/network.hpp>

#include "collectives/forests/packed.hpp"

#include <cstddef>
#include <list>
#include <mutex>
#include <vector>

namespace cuboid::detail {

/// Trees that were packed before: packing takes milliseconds, and each call of another length would
/// pack the same. Keeps the last ones used. Any thread may ask.
class KeptTrees {
 public:
  /// packed_trees(), or trees_both_ways(), which choose their roots.
  std::vector<PackedTree> get(const Network& network, const std::vector<int>& roots,
                              bool both_ways);

 private:
  struct CachedTrees {
    std::vector<Link> links;
    std::vector<int> roots;
    bool both_ways;
    std::vector<PackedTree> trees;
  };
  static constexpr std::size_t most = 64;
  std::mutex mutex_;
  std::list<CachedTrees> kept_;  // the last one used comes first
};

}  // namespace cuboid::detail
