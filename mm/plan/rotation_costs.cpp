#include "mm/decompositions/slabs.hpp"
#include "mm/drivers/summa/summa.hpp"
#include "mm/plan/candidate_costs.hpp"
#include "mm/plan/common_costs.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace cuboid::detail {

namespace {

struct RotationSteps {
  double steps = 1;
  double colours = 1;
};

/// The rotations of SD-Cannon: one for each direction of each digit.
RotationSteps split_rotation(std::span<const RotationDigit> digits, double directions = 2) {
  RotationSteps rotation{1, directions * static_cast<double>(digits.size())};
  for (const RotationDigit& digit : digits) rotation.steps *= digit.blocks();
  return rotation;
}

/// @param digits  of SD-Cannon, which shifts along all of them in both directions at once; none for
///                one shift at a time.
LinksOfLines links_to_shift(const LineRate& rows, const LineRate& columns, const GridShape& grid,
                            std::span<const RotationDigit> digits) {
  const auto over = [&](const LineRate& line, int ranks, int lines, int RotationDigit::*extent) {
    // On a line that is no ring a shift uses both directions, as its last block goes back to its
    // first rank, and blocks go into place both ways through its middle.
    const double parts = static_cast<double>(digits.size()) * (line.ring ? 2 : 1);
    const double links = digits.empty() ? line.shift : std::min(line.spread, parts * line.shift);
    // A single line has its blocks in place.
    if (lines == 1 && ranks > 1) return links * ranks / (ranks - 1);
    const int piece = digits.empty() ? ranks : std::ranges::max(digits, {}, extent).*extent;
    return links / stagger_factor(ranks, line.ring, links / line.shift, piece);
  };
  return {over(rows, grid.columns(), grid.rows(), &RotationDigit::columns),
          over(columns, grid.rows(), grid.columns(), &RotationDigit::rows), 1, true};
}

}  // namespace

PlanCandidate rotating_on(MultiplicationAlgorithm algorithm, const MappedGrid& grid,
                          std::vector<RotationDigit> digits, const PlanRequest& request,
                          const Rates& rates) {
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    return wanted_for_rotation(stored, candidate.grid, rotations_of(candidate));
  };
  PlanCandidate candidate{.algorithm = algorithm, .grid = grid.shape};
  const bool split = algorithm == MultiplicationAlgorithm::sd_cannon;
  if (split) candidate.sides = request.sides;
  candidate.one_direction = split && request.one_direction;
  const double directions = candidate.one_direction ? 1 : 2;
  const auto [steps, colours] = split ? split_rotation(digits, directions)
                                      : RotationSteps{static_cast<double>(std::lcm(P, Q)), 1};
  candidate.digits = std::move(digits);
  const auto cost = rotation_cost(extents_of(request.size), P, Q, steps, colours);
  LinksOfLines links;
  if (grid.rows && grid.columns) {
    links = links_to_shift(
        *grid.rows, *grid.columns, grid.shape,
        candidate.one_direction ? std::span<const RotationDigit>() : candidate.digits);
  }
  set_cost(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

PlanCandidate in_layers(const LaidLayers& grid, LayerAlgorithm inside, const PlanRequest& request,
                        const Rates& rates) {
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  const bool split = inside == LayerAlgorithm::sd_cannon;
  const bool shifts = inside == LayerAlgorithm::cannon || split;
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    return candidate.replicated_operands
               ? wanted_on_first_layer(stored.size(), *candidate.layered)
               : wanted_in_layers(stored.size(), *candidate.layered, candidate.inside);
  };
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::two_and_a_half_d,
                          .grid = GridShape(P, Q)};
  candidate.layered = grid.shape;
  candidate.inside = inside;
  candidate.replicated_operands = request.replicated_operands;
  if (split) candidate.digits = grid.digits;
  candidate.panel_width = panel_width(request, rates);
  candidate.order = panel_order(rates);
  std::optional<SlabCut> slabs;
  if (inside == LayerAlgorithm::slabs) slabs = slab_cut(request.size, grid.shape);
  const auto [steps, colours] =
      split ? split_rotation(grid.digits) : RotationSteps{static_cast<double>(std::lcm(P, Q)), 1};
  const auto cost = layered_cost(extents_of(request.size), P, Q, grid.shape.layers(),
                                 {.shifts = shifts,
                                  .steps = steps,
                                  .colours = colours,
                                  .slabs = slabs,
                                  .replicated = request.replicated_operands,
                                  .width = static_cast<double>(candidate.panel_width),
                                  .held = panels_held(candidate.order),
                                  .put_together = put_together(candidate.order)});
  LinksOfLines links;
  if (grid.rows && grid.columns && grid.layers) {
    links = shifts
                ? links_to_shift(*grid.rows, *grid.columns, GridShape(P, Q), candidate.digits)
                : links_to_gather(*grid.rows, *grid.columns, GridShape(P, Q), cost, request, rates);
    const double sums = slabs ? slabs->count() : 1;
    links.c = links_of_line(*grid.layers, grid.shape.layers(),
                            {Operation::reduce_scatter, cost.c_words, sums}, request, rates);
  }
  set_cost(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

}  // namespace cuboid::detail
