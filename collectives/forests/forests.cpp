#include "collectives/forests/forests.hpp"

#include "collectives/forests/tree_neighbours.hpp"
#include "collectives/schedules/slices.hpp"

#include <cstdint>
#include <utility>

namespace cuboid::detail {

Forest forest_from_tree(const Conditions& conditions, Flow flow,
                        const std::function<std::vector<Edge>(int, int)>& shape) {
  return plant_together(conditions, flow, 1, [&](int ranks, int root) {
    return std::vector<std::vector<Edge>>{shape(ranks, root)};
  });
}

namespace {

int root_of(const Block& block, Flow flow) {
  return flow == Flow::multicast ? block.before.value() : block.after.value_or(0);
}

}  // namespace

Forest plant_together(const Conditions& conditions, Flow flow, std::size_t element_bytes,
                      const TreesShape& shapes) {
  Forest forest{.ranks = conditions.ranks, .flow = flow};
  for (std::size_t block = 0; block < conditions.blocks.size(); ++block) {
    const Block& carried = conditions.blocks[block];
    const int root = root_of(carried, flow);
    auto trees = shapes(conditions.ranks, root);
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

ForestPart part_together(const Conditions& conditions, Flow flow, std::size_t element_bytes,
                         const TreeNeighboursFrom& neighbours) {
  ForestPart part{.flow = flow};
  for (std::size_t block = 0; block < conditions.blocks.size(); ++block) {
    const Block& carried = conditions.blocks[block];
    auto trees = neighbours(conditions.ranks, root_of(carried, flow));
    const auto slices = cut(carried.slice, trees.size(), element_bytes);
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      part.trees.push_back({.block = static_cast<int>(block),
                            .slice = slices[tree],
                            .neighbours = std::move(trees[tree]),
                            .channel = static_cast<std::uint32_t>(part.trees.size())});
    }
  }
  return part;
}

std::vector<std::vector<Edge>> both_chains(int ranks, int root) {
  return {chain(ranks, root), downward_chain(ranks, root)};
}

Forest direct_paths(const Conditions& conditions) {
  Forest forest{.ranks = conditions.ranks, .flow = Flow::multicast};
  for (std::size_t block = 0; block < conditions.blocks.size(); ++block) {
    const Block& carried = conditions.blocks[block];
    const int from = carried.before.value();
    const int to = carried.after.value();
    Tree tree{.block = static_cast<int>(block), .slice = carried.slice, .root = from, .channel = 0};
    if (from != to) tree.edges.push_back({from, to});
    forest.trees.push_back(std::move(tree));
  }
  return forest;
}

ForestPart direct_paths_part(const Conditions& conditions, int rank) {
  ForestPart part{.flow = Flow::multicast};
  for (std::size_t block = 0; block < conditions.blocks.size(); ++block) {
    const Block& carried = conditions.blocks[block];
    const int from = carried.before.value();
    const int to = carried.after.value();
    if (from != rank && to != rank) continue;
    TreePart& mine =
        part.trees.emplace_back(TreePart{.block = static_cast<int>(block), .slice = carried.slice});
    if (from == to) continue;
    if (to == rank) {
      mine.neighbours.parent = from;
    } else {
      mine.neighbours.children.push_back(to);
    }
  }
  return part;
}

Forest ring_allreduce(const Conditions& conditions, std::size_t element_bytes) {
  Forest forest{.ranks = conditions.ranks, .flow = Flow::combine_then_multicast};
  const auto parts = cut(conditions.blocks.front().slice,
                         static_cast<std::size_t>(conditions.ranks), element_bytes);
  for (int root = 0; root < conditions.ranks; ++root) {
    forest.trees.push_back({.block = 0,
                            .slice = parts[static_cast<std::size_t>(root)],
                            .root = root,
                            .edges = downward_chain(conditions.ranks, root),
                            .channel = static_cast<std::uint32_t>(root)});
  }
  return forest;
}

ForestPart ring_allreduce_part(const Conditions& conditions, std::size_t element_bytes, int rank) {
  ForestPart part{.flow = Flow::combine_then_multicast};
  const int ranks = conditions.ranks;
  const auto parts =
      cut(conditions.blocks.front().slice, static_cast<std::size_t>(ranks), element_bytes);
  for (int root = 0; root < ranks; ++root) {
    part.trees.push_back({.block = 0,
                          .slice = parts[static_cast<std::size_t>(root)],
                          .neighbours = downward_chain_neighbours(ranks, root, rank),
                          .channel = static_cast<std::uint32_t>(root)});
  }
  return part;
}

}  // namespace cuboid::detail
