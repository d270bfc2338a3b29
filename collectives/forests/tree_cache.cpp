#include "collectives/forests/tree_cache.hpp"

#include "collectives/forests/both_ways.hpp"

namespace cuboid::detail {

std::vector<PackedTree> TreeCache::get(const Network& network, const std::vector<int>& roots,
                                       bool both_ways) {
  const std::lock_guard lock(mutex_);
  return trees_.get({{network.links().begin(), network.links().end()}, roots, both_ways}, [&] {
    return both_ways ? trees_both_ways(network) : packed_trees(network, roots);
  });
}

}  // namespace cuboid::detail
