#pragma once

#include "collectives/evaluation/group_cost_model.hpp"

namespace cuboid::detail {

/// Bytes per second of a link of Blue Gene/P.
inline constexpr double blue_gene_rate = 375e6;

/// A rank on each node of a network like Blue Gene/P's.
inline GroupCostModel blue_gene(const Shape& shape) {
  GroupCostModel cost_model{GroupNodes::apart(static_cast<int>(shape.nodes())),
                            {.alpha = 1.6e-6, .beta = 1 / blue_gene_rate},
                            {.alpha = 1e-6, .beta = 1 / 13.6e9}};
  cost_model.network_overhead = 0.8e-6;
  cost_model.nodes.shape = shape;
  return cost_model;
}

}  // namespace cuboid::detail
