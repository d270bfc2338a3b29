#include "tools/papers/shift_costs.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

/// The elements of the larger one of A's and B's blocks.
double block(const ProductExtents& product, double ranks) {
  return std::max(product.m, product.n) * product.k / ranks;
}

double stages_seconds(const Hockney& per_element, double stages, double elements) {
  return stages * (per_element.alpha + per_element.beta * elements);
}

}  // namespace

double ShiftTorus::ranks() const {
  return std::pow(extent, dimensions);
}

double sd_stagger_stages(const ShiftTorus& torus) {
  return torus.extent > 1 ? torus.extent * torus.dimensions / 2 : 0;
}

double sd_contract_stages(const ShiftTorus& torus) {
  if (torus.extent <= 1) return 0;
  double stages = 0;
  for (double i = 1; i <= torus.dimensions / 2; ++i) stages += std::pow(torus.extent, i);
  return stages;
}

double cannon_seconds(const Hockney& per_element, const ProductExtents& product, double ranks) {
  if (ranks <= 1) return 0;
  return stages_seconds(per_element, 2 * std::sqrt(ranks), block(product, ranks));
}

double sd_cannon_seconds(const Hockney& per_element, const ProductExtents& product,
                         const ShiftTorus& torus) {
  return stages_seconds(per_element, sd_stagger_stages(torus) + sd_contract_stages(torus),
                        block(product, torus.ranks()) / torus.dimensions);
}

}  // namespace cuboid::detail
