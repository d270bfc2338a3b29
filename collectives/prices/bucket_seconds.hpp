#pragma once

#include "collectives/prices/cost_estimate.hpp"
#include "collectives/prices/lattice.hpp"

#include <cstddef>
#include <span>

namespace cuboid::detail {

/// How the bundles of blocks that bucket's colours pass on are cut into runs, one way.
struct BucketCut {
  double messages = 0;     ///< of a rank, at most
  double fewest_runs = 0;  ///< of a bundle that is cut; 0: none is

  /// Whether ranks are alike. Where bundles are cut in few runs, some ranks have one early, and
  /// what such runs delay has been simulated to take up to 1.4 times as long.
  bool is_foretold() const { return fewest_runs == 0 || fewest_runs >= 6; }
};

/// @param run  bytes, at most.
BucketCut bucket_cut(const Call& call, const Lattice& lattice,
                     std::span<const BucketColour> colours, double run);

/// Of an all-gather, a reduce-scatter or an all-reduce by bucket in runs of at most so many bytes.
CostEstimate price_bucket_runs(const Call& call, const Lattice& lattice,
                               std::span<const BucketColour> colours, std::size_t run);

}  // namespace cuboid::detail
