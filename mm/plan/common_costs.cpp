#include "mm/plan/common_costs.hpp"

#include "mm/drivers/summa/summa.hpp"
#include "mm/plan/candidate_costs.hpp"

#include <algorithm>
#include <limits>

namespace cuboid::detail {

namespace {

/// The number of times that a redistribution copies an element. Over a network an element is
/// packed, sent and unpacked. Within a node it is packed, and the new owner unpacks it from there;
/// elements that stay with their rank are copied once.
double copies_to_move(const PlanRequest& request, const Rates& rates) {
  return rates.one_node ? 2 - 1.0 / request.ranks : 3;
}

}  // namespace

bool fits(const PlanCandidate& candidate, const PlanRequest& request) {
  return !request.memory || candidate.memory <= static_cast<double>(*request.memory);
}

void set_cost(PlanCandidate& candidate, const MultiplicationCost& cost, const LinksOfLines& links,
              LayoutsFor layouts_for, const PlanRequest& request, const Rates& rates) {
  const double bytes_per_word = static_cast<double>(request.element_bytes);
  const RankRates per_element{{rates.network.alpha, rates.network.beta * bytes_per_word},
                              rates.multiplications_per_second,
                              rates.memory_seconds_per_byte * bytes_per_word,
                              rates.core_seconds_per_byte * bytes_per_word,
                              rates.one_node ? 0 : rates.overlap,
                              rates.one_node ? 0 : rates.network.beta * rates.burst_bytes};
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
    const double to_move =
        rates.network.alpha * (request.ranks - 1) +
        rates.network.beta * bytes_per_word * copies_to_move(request, rates) * words.moved;
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

double links_of_line(const LineRate& line, int ranks, const LineCalls& calls,
                     const PlanRequest& request, const Rates& rates) {
  if (ranks < 2 || calls.words <= 0 || !line.nodes || !rates.fixed_algorithm) return line.spread;
  const double received = calls.words / calls.number * static_cast<double>(request.element_bytes);
  const double all_blocks = received * ranks / (ranks - 1);
  const auto seconds = rates.fixed_algorithm(*line.nodes, calls.operation, all_blocks);
  return seconds && *seconds > 0 ? received * rates.network.beta / *seconds : line.spread;
}

LinksOfLines links_to_gather(const LineRate& rows, const LineRate& columns, const GridShape& grid,
                             const MultiplicationCost& cost, const PlanRequest& request,
                             const Rates& rates) {
  const auto links = [&](const LineRate& line, int ranks, double words) {
    return links_of_line(line, ranks, {Operation::allgather, words, cost.rounds}, request, rates);
  };
  return {links(rows, grid.columns(), cost.a_words), links(columns, grid.rows(), cost.b_words), 1,
          true};
}

std::int64_t panel_width(const PlanRequest& request, const Rates& rates) {
  if (request.panel_width) return *request.panel_width;
  if (request.on_devices) return device_panel_width;
  return rates.one_node ? default_panel_width : default_panel_width / 2;
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

double share_of_link(double words, double on_link) {
  return words > 0 && on_link > 0 ? words / on_link : 1;
}

ProductExtents extents_of(const ProductSize& size) {
  return {static_cast<double>(size.m), static_cast<double>(size.n), static_cast<double>(size.k)};
}

}  // namespace cuboid::detail
