#pragma once

#include "mm/plan/busiest_link.hpp"
#include "mm/plan/mapped_grid.hpp"
#include "mm/plan/planner.hpp"
#include "mm/plan/redistributed_words.hpp"
#include "models/multiplication/multiplication_costs.hpp"

#include <cstdint>

namespace cuboid::detail {

/// Functions that the costs of several algorithms need.

/// True if a candidate fits into the memory of the request.
bool fits(const PlanCandidate& candidate, const PlanRequest& request);

/// Fills in the cost of a candidate.
void set_cost(PlanCandidate& candidate, const MultiplicationCost& cost, const LinksOfLines& links,
              LayoutsFor layouts_for, const PlanRequest& request, const Rates& rates);

/// The links over which a grid's lines gather; one link if the lines are unknown.
LinksOfLines links_to_spread(const MappedGrid& grid);

/// The calls of a multiplication along a line: an operation, the number of calls, and the words
/// that each rank receives in all of them.
struct LineCalls {
  Operation operation;
  double words = 0;
  double number = 1;
};

/// The effective number of links that these calls use at the same time. If the user has fixed an
/// algorithm, it may leave some links idle.
double links_of_line(const LineRate& line, int ranks, const LineCalls& calls,
                     const PlanRequest& request, const Rates& rates);

/// links_of_line() for all-gathers of operands along both sides of a grid.
LinksOfLines links_to_gather(const LineRate& rows, const LineRate& columns, const GridShape& grid,
                             const MultiplicationCost& cost, const PlanRequest& request,
                             const Rates& rates);

/// The width of panels. It is smaller if messages travel while ranks multiply, because the first
/// panel overlaps with nothing.
std::int64_t panel_width(const PlanRequest& request, const Rates& rates);

PanelOrder panel_order(const Rates& rates);

/// The number of panels in memory of an operand that does not move: one if each panel has parts of
/// several owners.
double put_together(PanelOrder order);

/// The placement on which messages can be followed link by link; nullptr if there is none.
const Placement* to_route_on(const PlanRequest& request);

/// The share of a link that a rank has for `words`, while the busiest link carries `on_link`.
double share_of_link(double words, double on_link);

}  // namespace cuboid::detail
