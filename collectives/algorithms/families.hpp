#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The entries of algorithms(), by family. Where two cost much the same, the earlier one is taken.
std::vector<Algorithm> shape_algorithms();              ///< that follow the network's shape
std::vector<Algorithm> bucket_algorithms();             ///< rounds along its axes
std::vector<Algorithm> packed_algorithms();             ///< on any network whose cables are known
std::vector<Algorithm> tree_rounds_algorithms();        ///< few messages: to one rank and back
std::vector<Algorithm> dissemination_algorithms();      ///< few steps: each to one farther away
std::vector<Algorithm> bruck_algorithms();              ///< the same, of blocks for each rank
std::vector<Algorithm> doubling_algorithms();           ///< the same, by halves and doubles
std::vector<Algorithm> swing_algorithms();              ///< few steps along the axes of a shape
std::vector<Algorithm> scatter_allgather_algorithms();  ///< the same, from a root or to it
std::vector<Algorithm> tree_algorithms();               ///< trees of ranks, whatever the network
std::vector<Algorithm> nested_algorithms();             ///< trees of trees
std::vector<Algorithm> path_algorithms();    ///< from rank to rank: around a ring, or straight
std::vector<Algorithm> prefix_algorithms();  ///< of scans

/// Settings, and what their rounds take in step.
struct TriedSettings {
  Settings settings;
  double seconds = 0;
};

/// Of settings whose rounds tell them apart, the first ones: more are not worth a simulation.
std::vector<Settings> most_promising(std::vector<TriedSettings> tried);

/// Algorithm::settings of an algorithm that has none, for any group: of trees, and of rounds.
std::vector<Settings> of_trees(const Call& call);
std::vector<Settings> of_rounds(const Call& call);

/// Pieces of a message that all ranks name: more gain nothing.
constexpr std::int64_t enough_pieces = 1 << 12;

/// Whether every rank has a block of its own, for all others or from them.
inline bool block_per_rank(const Call& call) {
  return call.operation() == Operation::allgather || call.operation() == Operation::reduce_scatter;
}

/// Algorithm::pieces of a message that is cut into equally many elements, `count(call)` times.
template <int (*count)(const Call& call)>
std::vector<Piece> equal_pieces(const Call& call, const Conditions& conditions, const Settings&) {
  return equal_pieces(conditions, static_cast<std::size_t>(count(call)), call.element_bytes());
}

}  // namespace cuboid::detail
