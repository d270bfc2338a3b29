#include "mm/plan/candidate_prices.hpp"

#include "mm/decompositions/cosma_decomposition.hpp"
#include "mm/decompositions/slabs.hpp"
#include "mm/decompositions/srumma_tasks.hpp"
#include "mm/plan/busiest_link.hpp"
#include "mm/plan/redistributed_words.hpp"
#include "mm/plan/routed_load.hpp"
#include "mm/summa/hsumma.hpp"
#include "mm/summa/summa.hpp"
#include "models/multiplication/multiplication_costs.hpp"
#include "models/multiplication/stationary_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace cuboid::detail {

namespace {

bool fits(const PlanCandidate& candidate, const PlanRequest& request) {
  return !request.memory || candidate.memory <= static_cast<double>(*request.memory);
}

/// Fills in what a candidate costs.
void price(PlanCandidate& candidate, const MultiplicationCost& cost, const LinksOfLines& links,
           LayoutsFor layouts_for, const PlanRequest& request, const Rates& rates) {
  const double bytes_per_word = static_cast<double>(request.element_bytes);
  const RankRates per_element{{rates.network.alpha, rates.network.beta * bytes_per_word},
                              rates.multiplications_per_second,
                              rates.memory_seconds_per_byte * bytes_per_word,
                              rates.core_seconds_per_byte * bytes_per_word,
                              rates.one_node ? 0 : rates.overlap,
                              rates.network.beta * rates.burst_bytes};
  const MultiplicationSeconds seconds = multiplication_seconds(cost, per_element, links);
  candidate.work = cost.work;
  candidate.words = cost.words();
  candidate.messages = cost.messages;
  candidate.memory = cost.memory;
  candidate.rounds =
      static_cast<int>(std::min(cost.rounds, static_cast<double>(std::numeric_limits<int>::max())));
  candidate.compute_seconds = seconds.compute;
  candidate.communicate_seconds = seconds.communicate;
  candidate.seconds = seconds.total;
  if (const auto words = redistributed_words(candidate, layouts_for, request); words.moved > 0) {
    // Packed, sent, unpacked; by every rank to every other.
    const double to_move = rates.network.alpha * (request.ranks - 1) +
                           rates.network.beta * bytes_per_word * 3 * words.moved;
    candidate.words += words.moved;
    candidate.memory += words.held;
    candidate.communicate_seconds += to_move;
    candidate.seconds += to_move;
  }
  candidate.fits = fits(candidate, request);
}

/// One link if the lines are unknown.
LinksOfLines links_to_spread(const MappedGrid& grid) {
  if (!grid.rows || !grid.columns) return {};
  return {grid.rows->spread, grid.columns->spread, 1, true};
}

struct LinesToBroadcast {
  double rows = 1;
  double columns = 1;
};

/// The links that broadcasts along a line of so many ranks seem to use at once, of `words` by each
/// rank: if the user has fixed their algorithm, it may leave some idle.
double links_to_broadcast(const LineRate& line, int ranks, double words, const PlanRequest& request,
                          const Rates& rates) {
  if (ranks < 2 || !line.nodes || !rates.fixed_broadcasts) return line.spread;
  const double bytes = words * static_cast<double>(request.element_bytes);
  const auto seconds = rates.fixed_broadcasts(*line.nodes, bytes);
  return seconds && *seconds > 0 ? (ranks - 1) * bytes * rates.network.beta / *seconds
                                 : line.spread;
}

/// The same along both sides of a grid, for panels of so many inner indices.
LinesToBroadcast lines_to_broadcast(const LineRate& rows, const LineRate& columns,
                                    const GridShape& grid, std::int64_t width,
                                    const PlanRequest& request, const Rates& rates) {
  const auto inner = static_cast<double>(std::min(width, request.size.k));
  const double of_each = inner / (static_cast<double>(grid.rows()) * grid.columns());
  const double a = static_cast<double>(request.size.m) * of_each;
  const double b = static_cast<double>(request.size.n) * of_each;
  return {links_to_broadcast(rows, grid.columns(), a, request, rates),
          links_to_broadcast(columns, grid.rows(), b, request, rates)};
}

struct RotationSteps {
  double steps = 1;
  double colours = 1;
};

/// SD-Cannon's: a rotation for each way of each digit.
RotationSteps split_rotation(std::span<const RotationDigit> digits) {
  RotationSteps rotation{1, 2 * static_cast<double>(digits.size())};
  for (const RotationDigit& digit : digits) rotation.steps *= digit.blocks();
  return rotation;
}

/// @param split  SD-Cannon's, over all links of a line.
LinksOfLines links_to_shift(const LineRate& rows, const LineRate& columns, const GridShape& grid,
                            bool split) {
  const auto over = [&](const LineRate& line) { return split ? line.spread : line.shift; };
  return {over(rows) / stagger_factor(grid.columns(), split),
          over(columns) / stagger_factor(grid.rows(), split), 1, true};
}

/// Narrower where messages travel while ranks multiply: nothing hides the first panel.
std::int64_t panel_width(const PlanRequest& request, const Rates& rates) {
  return request.panel_width.value_or(rates.one_node ? default_panel_width
                                                     : default_panel_width / 2);
}

PanelOrder panel_order(const Rates& rates) {
  return rates.one_node ? PanelOrder::in_turn : PanelOrder::all_owners;
}

/// Panels in memory of an operand that needs not move: of several owners' parts, if they take
/// digits within each panel.
double put_together(PanelOrder order) {
  return order == PanelOrder::all_owners ? 1 : 0;
}

/// Where messages can be followed link by link.
const Placement* to_route_on(const PlanRequest& request) {
  const bool known = request.placement && request.placement->ranks() >= request.ranks;
  return known ? &*request.placement : nullptr;
}

CatchingUp catching_up(const PlanRequest& request, const Rates& rates) {
  return {rates.burst_bytes / static_cast<double>(request.element_bytes)};
}

/// The share of a link that a rank has for `words`, while the busiest link carries `on_link`.
double share_of_link(double words, double on_link) {
  return words > 0 && on_link > 0 ? words / on_link : 1;
}

/// The effective number of links that carry the words, if links of some lines work while others are
/// idle.
LinksOfLines caught_up(const LinksOfLines& links, const MultiplicationCost& cost,
                       const CatchingUp& catching_up) {
  if (!links.apart || catching_up.words == 0) return links;
  const WordsOfLines words{cost.a_words / links.a, cost.b_words / links.b, cost.c_words / links.c};
  const BusiestLink busiest = busiest_link_of_lines(words, catching_up);
  const double operands = share_of_link(std::max(words.a, words.b), busiest.operands);
  return {links.a * operands, links.b * operands, links.c * share_of_link(words.c, busiest.sums),
          true};
}

}  // namespace

ProductExtents extents_of(const ProductSize& size) {
  return {static_cast<double>(size.m), static_cast<double>(size.n), static_cast<double>(size.k)};
}

PlanCandidate srumma_on(const MappedGrid& grid, const PlanRequest& request, const Rates& rates) {
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    return wanted_for_reading(stored, candidate.grid);
  };
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::srumma, .grid = grid.shape};
  const auto extents = extents_of(request.size);
  const double rows = grid.shape.rows(), columns = grid.shape.columns();
  if (rates.one_node) {
    // The caller's matrices may lie in a rank's private memory.
    const bool shared = !request.stored;
    price(candidate, srumma_cost_on_node(extents, rows, columns, shared), {}, layouts_for, request,
          rates);
    return candidate;
  }
  const auto cost =
      srumma_cost(extents, rows, columns, static_cast<double>(srumma_over_network.widest_task),
                  static_cast<double>(srumma_over_network.at_once));
  LinksOfLines links;
  if (const Placement* placement = to_route_on(request)) {
    // Flows share links with flows that wait elsewhere, so links are not always full: 1.25 to 2.0
    // times the bound was measured on tori and meshes of 15 to 64 nodes.
    constexpr double unfilled = 1.5;
    const BusiestLink link =
        busiest_link_of_srumma(grid.shape, request.size, *placement, catching_up(request, rates));
    links.a = links.b = share_of_link(cost.a_words + cost.b_words, unfilled * link.operands);
    links.followed = true;
  }
  price(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

PlanCandidate summa_on(const MappedGrid& grid, const GroupShape& groups, const PlanRequest& request,
                       const Rates& rates) {
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    const std::int64_t k = std::max<std::int64_t>(stored.size().k, 1);
    return wanted_for_panels(stored, candidate.grid,
                             std::clamp<std::int64_t>(candidate.panel_width, 1, k));
  };
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::summa, .grid = grid.shape};
  candidate.groups = groups;
  // Alone, all at once is best.
  candidate.panel_width = grid.shape.size() == 1 && !request.panel_width
                              ? std::max<std::int64_t>(request.size.k, 1)
                              : panel_width(request, rates);
  const bool in_groups = groups.size() > 1 || request.groups.sample;
  if (in_groups && request.outer_width && !request.panel_width)
    candidate.panel_width = std::min(candidate.panel_width, *request.outer_width);
  constexpr std::int64_t panels = 4;
  const std::int64_t outer_width = candidate.panel_width < request.size.k / panels
                                       ? panels * candidate.panel_width
                                       : request.size.k;
  candidate.outer_width =
      std::max(request.outer_width.value_or(outer_width), candidate.panel_width);
  candidate.order = panel_order(rates);
  // One rank in each group is SUMMA with the outer panels.
  const bool each_alone = groups.size() == grid.shape.size();
  const bool plain = groups.size() == 1 || each_alone;
  const auto width =
      each_alone && !(P == 1 && Q == 1) ? candidate.outer_width : candidate.panel_width;
  const GroupShape counted = plain ? GroupShape{} : groups;
  const auto cost = summa_cost(extents_of(request.size), P, Q,
                               {.inner = static_cast<double>(width),
                                .outer = static_cast<double>(candidate.outer_width),
                                .groups_along_rows = static_cast<double>(counted.columns),
                                .groups_along_columns = static_cast<double>(counted.rows),
                                .held = plain ? panels_held(candidate.order) : 2,
                                .put_together = put_together(candidate.order),
                                .broadcast = rates.broadcast});
  LinksOfLines links = links_to_spread(grid);
  if (links.apart && plain) {
    const auto [a, b] = lines_to_broadcast(*grid.rows, *grid.columns, grid.shape,
                                           candidate.panel_width, request, rates);
    links.a = a;
    links.b = b;
  }
  if (rates.broadcast) {
    links = {1 / broadcast_factor(*rates.broadcast, Q, counted.columns),
             1 / broadcast_factor(*rates.broadcast, P, counted.rows)};
  } else if (links.apart) {
    const auto is_ring = [](double spread) { return spread > 1; };
    links.a /= crossing_factor(Q, groups.columns, is_ring(links.a));
    links.b /= crossing_factor(P, groups.rows, is_ring(links.b));
  }
  price(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

PlanCandidate stationary_on(StationaryOperand stays, const MappedGrid& grid,
                            const PlanRequest& request, const Rates& rates) {
  const bool a_stays = stays == StationaryOperand::a;
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    const bool a = candidate.algorithm == MultiplicationAlgorithm::stationary_a;
    return wanted_for_stationary(stored, candidate.grid,
                                 a ? StationaryOperand::a : StationaryOperand::b);
  };
  PlanCandidate candidate{.algorithm = a_stays ? MultiplicationAlgorithm::stationary_a
                                               : MultiplicationAlgorithm::stationary_b,
                          .grid = grid.shape};
  const std::int64_t moving = a_stays ? request.size.n : request.size.m;
  candidate.panel_width = grid.shape.size() == 1 && !request.panel_width
                              ? std::max<std::int64_t>(moving, 1)
                              : panel_width(request, rates);
  const auto cost =
      stationary_cost(extents_of(request.size), a_stays, grid.shape.rows(), grid.shape.columns(),
                      static_cast<double>(candidate.panel_width));
  LinksOfLines links = links_to_spread(grid);
  if (links.apart) links.c = a_stays ? links.a : links.b;
  price(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

PlanCandidate sampled_on(const MappedGrid& grid, const PlanRequest& request, const Rates& rates) {
  PlanCandidate candidate = summa_on(grid, {}, request, rates);
  candidate.algorithm = MultiplicationAlgorithm::hsumma;
  candidate.sample_groups = true;
  for (const GroupShape& groups : group_shapes(grid.shape))
    candidate.memory = std::max(candidate.memory, summa_on(grid, groups, request, rates).memory);
  const auto [m, n, k] = extents_of(request.size);
  const double sampled =
      std::min(k, static_cast<double>(sampled_outer_panels * candidate.outer_width));
  candidate.memory += (m * sampled + sampled * n + m * n) / grid.shape.size();
  candidate.fits = fits(candidate, request);
  return candidate;
}

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
  const auto [steps, colours] =
      split ? split_rotation(digits) : RotationSteps{static_cast<double>(std::lcm(P, Q)), 1};
  candidate.digits = std::move(digits);
  const auto cost = rotation_cost(extents_of(request.size), P, Q, steps, colours);
  LinksOfLines links;
  const Placement* placement = to_route_on(request);
  constexpr double most_shifts = 1 << 14;
  const int followed = std::min(request.ranks, RoutedLoad::most_routed);
  if (placement && followed * steps < most_shifts) {
    const BusiestLink link = busiest_link_of_rotations(
        grid.shape, rotations_of(candidate), request.size, *placement, catching_up(request, rates));
    links.a = links.b = share_of_link(cost.a_words + cost.b_words, link.operands);
    links.followed = true;
  } else if (grid.rows && grid.columns) {
    links = links_to_shift(*grid.rows, *grid.columns, grid.shape, split);
  }
  price(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

PlanCandidate in_layers(const LaidLayers& grid, LayerAlgorithm inside, const PlanRequest& request,
                        const Rates& rates) {
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  const bool split = inside == LayerAlgorithm::sd_cannon;
  const bool shifts = inside == LayerAlgorithm::cannon || split;
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts& stored) {
    return wanted_in_layers(stored.size(), *candidate.layered, candidate.inside);
  };
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::two_and_a_half_d,
                          .grid = GridShape(P, Q)};
  candidate.layered = grid.shape;
  candidate.inside = inside;
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
                                  .width = static_cast<double>(candidate.panel_width),
                                  .held = panels_held(candidate.order),
                                  .put_together = put_together(candidate.order)});
  LinksOfLines links;
  if (grid.rows && grid.columns && grid.layers) {
    links = shifts ? links_to_shift(*grid.rows, *grid.columns, GridShape(P, Q), split)
                   : LinksOfLines{grid.rows->spread, grid.columns->spread, 1, true};
    if (inside == LayerAlgorithm::summa) {
      const auto [a, b] = lines_to_broadcast(*grid.rows, *grid.columns, GridShape(P, Q),
                                             candidate.panel_width, request, rates);
      links.a = a;
      links.b = b;
    }
    links.c = grid.layers->spread;
  }
  // Slabs' sums travel under operands.
  if (inside != LayerAlgorithm::slabs) links = caught_up(links, cost, catching_up(request, rates));
  price(candidate, cost, links, layouts_for, request, rates);
  return candidate;
}

namespace {

/// Words of A and B that a rank shows others in a window, where these get what they need.
double shown_in_windows(const ProductSize& size, const BrickGrid& bricks) {
  const auto part = [](std::int64_t extent, int parts) {
    return std::ceil(static_cast<double>(extent) / parts);
  };
  const int rows = bricks.parts(WorkAxis::rows), columns = bricks.parts(WorkAxis::columns);
  const int layers = bricks.parts(WorkAxis::inner);
  const double a = part(size.m, rows) * part(size.k, layers * columns);
  const double b = part(size.k, layers) * part(size.n, columns * rows);
  return (columns > 1 ? a : 0) + (rows > 1 ? b : 0);
}

}  // namespace

PlanCandidate in_bricks(MultiplicationAlgorithm algorithm, BrickGrid bricks,
                        const BrickSteps& steps, const PlanRequest& request, const Rates& rates) {
  const BrickCost busiest = bricks.busiest(steps);
  const auto formula =
      brick_cost(extents_of(request.size), bricks.parts(WorkAxis::rows),
                 bricks.parts(WorkAxis::columns), bricks.parts(WorkAxis::inner), steps.rounds);
  const double sums = std::min(formula.c_words, busiest.words_received);
  const LayoutsFor layouts_for = [](const PlanCandidate& candidate, const ProductLayouts&) {
    const BrickGrid& grid = *candidate.bricks;
    return WantedLayouts{grid.a_layout(), grid.b_layout(), grid.c_layout()};
  };
  PlanCandidate candidate{.algorithm = algorithm, .sides = request.sides};
  const double windows =
      request.sides == Sidedness::one_sided ? shown_in_windows(request.size, bricks) : 0;
  const double operands = busiest.words_received - sums;
  const MultiplicationCost cost{.work = busiest.work,
                                .a_words = operands,
                                .c_words = sums,
                                .messages = busiest.messages,
                                .memory = brick_memory(bricks, steps) + windows,
                                .rounds = static_cast<double>(steps.count()),
                                .result = formula.result / steps.tiles(),
                                .operands = formula.operands};
  LinksOfLines links;
  if (const Placement* placement = to_route_on(request)) {
    CatchingUp ahead = catching_up(request, rates);
    // Where there are several rounds, the next travels meanwhile.
    if (steps.count() == 1)
      ahead.while_multiplying = busiest.work / rates.multiplications_per_second /
                                (rates.network.beta * static_cast<double>(request.element_bytes));
    const BusiestLink link = busiest_link_of_bricks(bricks, *placement, ahead);
    // Tiles bring the same operands over the same links again.
    links.a = share_of_link(bricks.busiest().words_received - sums, link.operands);
    links.c = share_of_link(sums, link.sums);
    links.followed = true;
  }
  candidate.bricks = std::move(bricks);
  price(candidate, cost, links, layouts_for, request, rates);
  candidate.rounds = steps.rounds;
  candidate.row_tiles = steps.row_tiles;
  candidate.column_tiles = steps.column_tiles;
  return candidate;
}

}  // namespace cuboid::detail
