#pragma once

#include "mm/decompositions/layered_grid.hpp"
#include "mm/plan/planner.hpp"
#include "models/multiplication/multiplication_costs.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail::tools {

/// How ranks along a line of a torus multicast and sum.
enum class LineMulticast {
  rectangular,  ///< over all links of the line at once
  binomial,     ///< a tree of messages over them (Solomonik et al. 2011, eq 9)
  mpi,          ///< van de Geijn's scatter and all-gather, one way round, as MPI libraries do
};

/// "rectangular", "binomial" or "mpi".
std::string_view name_of(LineMulticast lines);

/// The kinds that --lines names: one, or all of `offered`. Throws Error(invalid_argument) naming
/// the flag.
std::vector<LineMulticast> lines_from_flag(const std::string& text,
                                           std::span<const LineMulticast> offered);

/// Over how many links at once data go along a line of `ranks` in effect, where rectangular
/// multicasts use `links`.
double links_in_effect(LineMulticast lines, double links, int ranks);

/// SUMMA in each of some layers, 2-D with one, on a grid whose lines are lines of the torus.
struct LinedProduct {
  LineMulticast lines = LineMulticast::rectangular;
  LayeredGrid grid{1, 1, 1};
  double words = 0;
  double memory = 0;  ///< words of a rank
  MultiplicationSeconds seconds;
  bool fits = true;
};

/// The fastest grid for each kind of lines and number of layers. Needs request.placement.
std::vector<LinedProduct> by_lines(const PlanRequest& request, const Rates& rates,
                                   std::span<const LineMulticast> kinds);

}  // namespace cuboid::detail::tools
