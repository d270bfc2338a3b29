#pragma once

#include "collectives/forests/trees.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"

#include <functional>
#include <vector>

namespace cuboid::detail {

/// Plants one tree of the same shape for every block of the conditions. Its root is the block's
/// origin (multicast) or destination (combine); rank 0 if the block has no destination.
using TreeShape = std::vector<Edge> (*)(int ranks, int root);
Forest forest_from_tree(const Conditions& conditions, Flow flow,
                        const std::function<std::vector<Edge>(int ranks, int root)>& shape);

/// Plants several trees for every block. Each carries an equal slice of whole elements.
using TreesShape = std::function<std::vector<std::vector<Edge>>(int ranks, int root)>;
Forest plant_together(const Conditions& conditions, Flow flow, std::size_t element_bytes,
                      const TreesShape& shapes);

/// One rank's part in the forest of plant_together(); with one tree per block, in that of
/// forest_from_tree().
/// @param neighbours  returns the rank's part in each of the trees out of a root
using TreeNeighboursFrom = std::function<std::vector<TreeNeighbours>(int ranks, int root)>;
ForestPart part_together(const Conditions& conditions, Flow flow, std::size_t element_bytes,
                         const TreeNeighboursFrom& neighbours);

/// Every block goes straight from its origin to its destination, as in a scatter, gather or
/// all-to-all.
Forest direct_paths(const Conditions& conditions);
ForestPart direct_paths_part(const Conditions& conditions, int rank);

/// Two chains round the ring of ranks in opposite directions, each for a half of every block
/// (bidirectional ring). A broadcast or reduce takes (s + p − 2)·(α + β·m/(2·s)) if a rank has
/// links to both sides.
std::vector<std::vector<Edge>> both_chains(int ranks, int root);

/// A ring all-reduce: for each rank a chain combines an equal slice (whole elements of
/// `element_bytes` bytes) towards that rank and multicasts it back. Every rank sends and receives
/// 2·(p − 1)/p of the message.
Forest ring_allreduce(const Conditions& conditions, std::size_t element_bytes);
ForestPart ring_allreduce_part(const Conditions& conditions, std::size_t element_bytes, int rank);

}  // namespace cuboid::detail
