#include "mm/plan/pricing.hpp"

#include "mm/plan/candidate_prices.hpp"
#include "mm/summa/summa.hpp"

#include <algorithm>
#include <limits>

namespace cuboid::detail {

bool fits(const PlanCandidate& candidate, const PlanRequest& request) {
  return !request.memory || candidate.memory <= static_cast<double>(*request.memory);
}

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

LinksOfLines links_to_spread(const MappedGrid& grid) {
  if (!grid.rows || !grid.columns) return {};
  return {grid.rows->spread, grid.columns->spread, 1, true};
}

namespace {

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

}  // namespace

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

std::int64_t panel_width(const PlanRequest& request, const Rates& rates) {
  return request.panel_width.value_or(rates.one_node ? default_panel_width
                                                     : default_panel_width / 2);
}

PanelOrder panel_order(const Rates& rates) {
  return rates.one_node ? PanelOrder::in_turn : PanelOrder::all_owners;
}

double put_together(PanelOrder order) {
  return order == PanelOrder::all_owners ? 1 : 0;
}

const Placement* to_route_on(const PlanRequest& request) {
  const bool known = request.placement && request.placement->ranks() >= request.ranks;
  return known ? &*request.placement : nullptr;
}

CatchingUp catching_up(const PlanRequest& request, const Rates& rates) {
  return {rates.burst_bytes / static_cast<double>(request.element_bytes)};
}

double share_of_link(double words, double on_link) {
  return words > 0 && on_link > 0 ? words / on_link : 1;
}

LinksOfLines caught_up(const LinksOfLines& links, const MultiplicationCost& cost,
                       const CatchingUp& catching_up) {
  if (!links.apart || catching_up.words == 0) return links;
  const WordsOfLines words{cost.a_words / links.a, cost.b_words / links.b, cost.c_words / links.c};
  const BusiestLink busiest = busiest_link_of_lines(words, catching_up);
  const double operands = share_of_link(std::max(words.a, words.b), busiest.operands);
  return {links.a * operands, links.b * operands, links.c * share_of_link(words.c, busiest.sums),
          true};
}

ProductExtents extents_of(const ProductSize& size) {
  return {static_cast<double>(size.m), static_cast<double>(size.n), static_cast<double>(size.k)};
}

}  // namespace cuboid::detail
