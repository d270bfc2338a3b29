#include "collectives/forests/kept_trees.hpp"

#include "collectives/forests/both_ways.hpp"

#include <algorithm>

namespace cuboid::detail {

std::vector<PackedTree> KeptTrees::get(const Network& network, const std::vector<int>& roots,
                                       bool both_ways) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(kept_, [&](const CachedTrees& kept) {
    return kept.both_ways == both_ways && kept.roots == roots &&
           std::ranges::equal(kept.links, network.links());
  });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return found->trees;
  }
  std::vector<PackedTree> trees =
      both_ways ? trees_both_ways(network) : packed_trees(network, roots);
  if (kept_.size() == most) kept_.pop_back();
  kept_.push_front({{network.links().begin(), network.links().end()}, roots, both_ways, trees});
  return trees;
}

}  // namespace cuboid::detail
