#include <cuboid/collectives/forests/forests.hpp>

#include <algorithm>

namespace cuboid {

namespace {

// A combining chain towards `root`: data flows from root + 1 up, round the end, to the root.
std::vector<Edge> inward_chain(int ranks, int root) {
  std::vector<Edge> edges;
  for (int hop = 1; hop < ranks; ++hop) {
    edges.push_back({(root - hop + 1 + ranks) % ranks, (root - hop + ranks) % ranks});
  }
  return edges;
}

}  // namespace

Forest plant(const Contract& contract, Flow flow, TreeShape shape) {
  Forest forest{.ranks = contract.ranks, .flow = flow};
  for (std::size_t block = 0; block < contract.blocks.size(); ++block) {
    const Block& carried = contract.blocks[block];
    const int root = flow == Flow::multicast ? carried.before.value() : carried.after.value_or(0);
    forest.trees.push_back({.block = static_cast<int>(block),
                            .slice = carried.slice,
                            .root = root,
                            .edges = shape(contract.ranks, root),
                            .channel = static_cast<std::uint32_t>(block)});
  }
  return forest;
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
  const auto ranks = static_cast<std::size_t>(contract.ranks);
  const std::size_t elements = contract.blocks.front().slice.bytes / element_bytes;
  std::size_t offset = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t share =
        (elements / ranks + (rank < elements % ranks ? 1 : 0)) * element_bytes;
    const int root = static_cast<int>(rank);
    forest.trees.push_back({.block = 0,
                            .slice = {offset, share},
                            .root = root,
                            .edges = inward_chain(contract.ranks, root),
                            .channel = static_cast<std::uint32_t>(rank)});
    offset += share;
  }
  return forest;
}

}  // namespace cuboid
