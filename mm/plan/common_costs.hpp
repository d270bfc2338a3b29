#pragma once

#include "mm/plan/busiest_link.hpp"
#include "mm/plan/mapped_grid.hpp"
#include "mm/plan/planner.hpp"
#include "mm/plan/redistributed_words.hpp"
#include "models/multiplication/multiplication_costs.hpp"

#include <cstdint>

namespace cuboid::detail {

/// What the costs of several algorithms need.

/// Whether a candidate's memory is there.
bool fits(const PlanCandidate& candidate, const PlanRequest& request);

/// Fills in what a candidate costs.
void set_cost(PlanCandidate& candidate, const MultiplicationCost& cost, const LinksOfLines& links,
              LayoutsFor layouts_for, const PlanRequest& request, const Rates& rates);

/// One link if the lines are unknown.
LinksOfLines links_to_spread(const MappedGrid& grid);

/// What a multiplication calls along a line: an operation so many times, in which each rank
/// receives so many words in all.
struct LineCalls {
  Operation operation;
  double words = 0;
  double number = 1;
};

/// The links that these calls seem to use at once. An algorithm that the user has fixed may leave
/// some idle.
double links_of_line(const LineRate& line, int ranks, const LineCalls& calls,
                     const PlanRequest& request, const Rates& rates);

/// The same of operands that all-gathers bring along both sides of a grid.
LinksOfLines links_to_gather(const LineRate& rows, const LineRate& columns, const GridShape& grid,
                             const MultiplicationCost& cost, const PlanRequest& request,
                             const Rates& rates);

/// Narrower where messages travel while ranks multiply: nothing hides the first panel.
std::int64_t panel_width(const PlanRequest& request, const Rates& rates);

PanelOrder panel_order(const Rates& rates);

/// Panels in memory of an operand that needs not move: of several owners' parts, if they take
/// digits within each panel.
double put_together(PanelOrder order);

/// Where messages can be followed link by link.
const Placement* to_route_on(const PlanRequest& request);

BurstCredit burst_credit(const PlanRequest& request, const Rates& rates);

/// The share of a link that a rank has for `words`, while the busiest link carries `on_link`.
double share_of_link(double words, double on_link);

/// The effective number of links that carry the words, if links of some lines work while others are
/// idle.
LinksOfLines with_burst_credit(const LinksOfLines& links, const MultiplicationCost& cost,
                               const BurstCredit& burst_credit);

}  // namespace cuboid::detail
