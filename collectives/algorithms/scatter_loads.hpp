#pragma once

#include "collectives/butterflies/scatter_allgather.hpp"
#include "collectives/evaluation/round_loads.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The loads of the rounds of a broadcast by scatter and all-gather, for any number of colours and
/// of steps that scatter; a reduce has the same backwards. Shares of a message that travel along
/// the same axis meet there. The n-th step along an axis is the same in all colours.
class ScatterLoads {
 public:
  /// What one step loads the links of its axis with, for one colour in each direction.
  struct ScatterStepLoad {
    int axis = 0;
    int parts = 2;
    int on_link = 1;    ///< messages on the busiest link during the all-gather
    int from_root = 1;  ///< messages on the busiest link of the root's line during the scatter
    int farthest = 1;   ///< links that the farthest message crosses
  };

  /// @param colours  all of scatter_allgathers().
  ScatterLoads(const Call& call, std::span<const ScatterAllgather> colours);

  /// The loads of the rounds if the first `colours` colours are used, and `scatter_steps` steps
  /// scatter.
  std::vector<RoundLoad> of(std::size_t colours, int scatter_steps) const;

 private:
  using Pairs = std::vector<std::vector<ScatterStepLoad>>;  // by first axis, for colours of one
                                                            // direction or both

  Pairs pairs_of(const Shape& shape, std::span<const ScatterAllgather> colours,
                 int directions) const;

  std::size_t shape_axes_;
  std::size_t axes_;  // axes of several nodes
  double bytes_;
  bool combines_;
  Pairs one_way_;
  Pairs both_ways_;
};

}  // namespace cuboid::detail
