#pragma once

#include "collectives/axis_prices/lattice.hpp"
#include "collectives/prices/cost_estimate.hpp"

#include <cstddef>
#include <span>

namespace cuboid::detail {

/// How the bundles of blocks that bucket's colours pass on are cut into runs, one way.
struct BucketCut {
  double messages = 0;  ///< of a rank, at most
  double bundles = 0;   ///< the same, if none were cut

  bool is_whole() const { return messages == bundles; }
};

/// @param run  bytes, at most.
BucketCut bucket_cut(const Call& call, const Lattice& lattice,
                     std::span<const BucketColour> colours, double run);

/// Of an all-gather, a reduce-scatter or an all-reduce by bucket in runs of at most so many bytes.
CostEstimate price_bucket_runs(const Call& call, const Lattice& lattice,
                               std::span<const BucketColour> colours, std::size_t run);

}  // namespace cuboid::detail
