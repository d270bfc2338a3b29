#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// The entries of algorithms(), by family. Where two cost much the same, the earlier one is taken.
std::vector<Algorithm> shape_algorithms();          ///< that follow the network's shape
std::vector<Algorithm> bucket_algorithms();         ///< rounds along its axes
std::vector<Algorithm> packed_algorithms();         ///< on any network whose cables are known
std::vector<Algorithm> tree_rounds_algorithms();    ///< few messages: to one rank and back
std::vector<Algorithm> dissemination_algorithms();  ///< few steps: each to one farther away
std::vector<Algorithm> bruck_algorithms();          ///< the same, of blocks for each rank
std::vector<Algorithm> doubling_algorithms();       ///< the same, by halves and doubles
std::vector<Algorithm> swing_algorithms();          ///< few steps along the axes of a shape
std::vector<Algorithm> tree_algorithms();           ///< trees of ranks, whatever the network
std::vector<Algorithm> nested_algorithms();         ///< trees of trees
std::vector<Algorithm> ring_algorithms();
std::vector<Algorithm> path_algorithms();    ///< straight from rank to rank
std::vector<Algorithm> prefix_algorithms();  ///< of scans

/// Algorithm::pieces of a message that is cut into equally many elements, `count(call)` times.
template <int (*count)(const Call& call)>
std::vector<Piece> equal_pieces(const Call& call, const Conditions& conditions, const Settings&) {
  return equal_pieces(conditions, static_cast<std::size_t>(count(call)), call.element_bytes());
}

}  // namespace cuboid::detail
