#pragma once

#include "collectives/butterflies/scatter_allgather.hpp"
#include "collectives/prices/call.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// What a broadcast by scatter and all-gather takes, by the number of colours and of steps that
/// scatter; a reduce is the same backwards. Shares of a message that go along the same axis meet
/// there. The n-th step along an axis is alike in all colours.
class ScatterAllgatherPrices {
 public:
  /// What one step is to the nodes and links of its axis, of one colour in each direction.
  struct StepLoad {
    int axis = 0;
    int parts = 2;
    int on_link = 1;       ///< messages on the busiest link while all gather
    int from_root = 1;     ///< the same while it spreads, on the root's line
    int farthest = 1;      ///< links
    double spreading = 0;  ///< seconds by which it delays whom the root reaches last
  };

  /// @param colours  all of scatter_allgathers().
  ScatterAllgatherPrices(const Call& call, std::span<const ScatterAllgather> colours);

  /// By the first so many colours.
  double seconds(std::size_t colours, int scattering) const;

 private:
  // What goes at once in a step of all colours.
  struct Load {
    bool returns = false;
    double farthest = 1;
    double spreading = 0;
    double longest = 0;    ///< message, in bytes
    double sent = 1;       ///< messages of one colour
    double messages = 0;   ///< of all
    double received = 0;   ///< bytes of these
    double on_link = 0;    ///< bytes
    double from_root = 0;  ///< bytes
  };

  using Pairs = std::vector<std::vector<StepLoad>>;  // by first axis, of one direction or both

  Pairs pairs_of(std::span<const ScatterAllgather> colours, int directions) const;
  std::vector<Load> loads(std::size_t colours, int scattering) const;
  double latency(const Load& load) const;
  double overhead_of_an_end() const { return call_.cost_model.network_overhead / 2; }
  double travelling(const Load& load, double on_link) const;
  double handled(const Load& load) const {
    return call_.cost_model.network_overhead * load.messages;
  }
  double gathered_in(const Load& load) const;
  double met_by_early_ones() const;

  const Call& call_;
  std::size_t axes_;
  Pairs one_way_;
  Pairs both_ways_;
};

}  // namespace cuboid::detail
