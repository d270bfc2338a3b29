#pragma once

#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/types/collective.hpp"
#include "models/messages/machine.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// Machines that differ in what limits them.
std::span<const Machine> regret_machines();

/// A call on one of them.
struct RegretCase {
  const Machine* machine = nullptr;
  /// A shape's text, or "fat:LEAVESxHOSTS", or "cut:" and a shape one of whose cables is missing,
  /// or "node" for a single one.
  std::string network = {};
  int ranks_per_node = 1;
  Operation operation = Operation::broadcast;
  std::size_t bytes = 0;
};

/// "broadcast of 8 bytes on torus:4x4, 2 ranks a node, bgp".
std::string describe(const RegretCase& one);

/// So many, drawn evenly: tori, meshes, uneven axes, fat trees, cut tori, nodes; 8 bytes to 64 MiB;
/// 1 to 8 ranks a node, of groups of least_ranks to most_ranks, half as many where each has a
/// block. The same in every run.
std::vector<RegretCase> regret_cases(std::size_t count, int most_ranks, int least_ranks = 1);

/// What the choice takes in a whole run, over what the best takes, less one.
struct Regret {
  std::string chosen = {};
  std::string best = {};
  double chosen_seconds = 0;
  double best_seconds = 0;
  double choosing_seconds = 0;  ///< of the processor
  double value() const { return chosen_seconds / best_seconds - 1; }
};
/// @param as_if_large  by what ranks say that are asked, as in groups too large to be simulated.
Regret regret_of(const RegretCase& one, bool as_if_large = false);

}  // namespace cuboid::detail
