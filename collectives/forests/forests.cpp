#include <cuboid/collectives/forests/forests.hpp>
#include <cuboid/collectives/slices.hpp>

#include <utility>

namespace cuboid {

Forest plant(const Contract& contract, Flow flow,
             const std::function<std::vector<Edge>(int, int)>& shape) {
  return plant_together(contract, flow, 1, [&](int ranks, int root) {
    return std::vector<std::vector<Edge>>{shape(ranks, root)};
  });
}

Forest plant_together(const Contract& contract, Flow flow, std::size_t element_bytes,
                      const TreesShape& shapes) {
  Forest forest{.ranks = contract.ranks, .flow = flow};
  for (std::size_t block = 0; block < contract.blocks.size(); ++block) {
    const Block& carried = contract.blocks[block];
    const int root = flow == Flow::multicast ? carried.before.value() : carried.after.value_or(0);
    auto trees = shapes(contract.ranks, root);
    const auto slices = cut(carried.slice, trees.size(), element_bytes);
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      forest.trees.push_back({.block = static_cast<int>(block),
                              .slice = slices[tree],
                              .root = root,
                              .edges = std::move(trees[tree]),
                              .channel = static_cast<std::uint32_t>(forest.trees.size())});
    }
  }
  return forest;
}

std::vector<std::vector<Edge>> both_chains(int ranks, int root) {
  return {chain(ranks, root), downward_chain(ranks, root)};
}

Forest direct_paths(const Contract& contract) {
  Forest forest{.ranks = contract.ranks, .flow = Flow::multicast};
  for (std::size_t block = 0; block < contract.blocks.size(); ++block) {
    const Block& carried = contract.blocks[block];
    const int from = carried.before.value();
    const int to = carried.after.value();
    Tree tree{.block = static_cast<int>(block), .slice = carried.slice, .root = from, .channel = 0};
    if (from != to) tree.edges.push_back({from, to});
    forest.trees.push_back(std::move(tree));
  }
  return forest;
}

Forest ring_allreduce(const Contract& contract, std::size_t element_bytes) {
  Forest forest{.ranks = contract.ranks, .flow = Flow::combine_then_multicast};
  const auto parts =
      cut(contract.blocks.front().slice, static_cast<std::size_t>(contract.ranks), element_bytes);
  for (int root = 0; root < contract.ranks; ++root) {
    forest.trees.push_back({.block = 0,
                            .slice = parts[static_cast<std::size_t>(root)],
                            .root = root,
                            .edges = downward_chain(contract.ranks, root),
                            .channel = static_cast<std::uint32_t>(root)});
  }
  return forest;
}

}  // namespace cuboid
