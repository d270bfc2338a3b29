#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The entries of algorithms(), by family. If two algorithms cost much the same, the earlier one is
/// taken.
std::vector<Algorithm> shape_algorithms();          ///< trees that follow the network's shape
std::vector<Algorithm> bucket_algorithms();         ///< rounds along the axes of the shape
std::vector<Algorithm> packed_algorithms();         ///< trees on any network whose cables are known
std::vector<Algorithm> tree_rounds_algorithms();    ///< few messages: to one rank and back
std::vector<Algorithm> dissemination_algorithms();  ///< few steps, each to a rank farther away
std::vector<Algorithm> bruck_algorithms();     ///< dissemination of one block per pair of ranks
std::vector<Algorithm> doubling_algorithms();  ///< recursive halving and doubling
std::vector<Algorithm> swing_algorithms();     ///< few steps along the axes of a shape
std::vector<Algorithm> scatter_allgather_algorithms();  ///< few steps along the axes, from or to a
                                                        ///< root
std::vector<Algorithm> tree_algorithms();               ///< trees of ranks, whatever the network
std::vector<Algorithm> nested_algorithms();             ///< trees of trees
std::vector<Algorithm> path_algorithms();    ///< around a ring of ranks, or straight to each rank
std::vector<Algorithm> prefix_algorithms();  ///< scans
std::vector<Algorithm> shared_memory_algorithms();  ///< through memory that all ranks share

/// Settings, and the predicted seconds of their rounds in lockstep.
struct TriedSettings {
  Settings settings;
  double seconds = 0;
};

/// The settings with the least predicted seconds; more settings are not worth a simulation.
std::vector<Settings> most_promising(std::vector<TriedSettings> tried);

/// Algorithm::settings of algorithms that have no settings of their own and serve any group: of
/// algorithms by trees, and by rounds.
std::vector<Settings> of_trees(const Call& call);
std::vector<Settings> of_rounds(const Call& call);

/// The most pieces of a message that all ranks list: more pieces gain nothing.
constexpr std::int64_t enough_pieces = 1 << 12;

/// True if every rank has a block of its own, which goes to all others or comes from them.
inline bool block_per_rank(const Call& call) {
  return call.operation() == Operation::allgather || call.operation() == Operation::reduce_scatter;
}

/// Algorithm::pieces of a message that is cut into `count(call)` pieces of equal length.
template <int (*count)(const Call& call)>
Pieces equal_pieces(const Call& call, const Conditions& conditions, const Settings&) {
  return equal_pieces(conditions, static_cast<std::size_t>(count(call)), call.element_bytes());
}

}  // namespace cuboid::detail
