#pragma once

#include "mm/decompositions/layered_grid.hpp"
#include "mm/plan/planner.hpp"
#include "models/multiplication/multiplication_costs.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail::tools {

/// The way in which ranks along a line of a torus multicast and sum.
enum class LineMulticast {
  rectangular,  ///< over all links of the line at once
  binomial,     ///< a tree of messages along the line (Solomonik et al. 2011, eq 9)
  mpi,          ///< van de Geijn's scatter and all-gather in one direction, as in MPI libraries
};

/// "rectangular", "binomial" or "mpi".
std::string_view name_of(LineMulticast lines);

/// The kinds of lines that --lines names: one, or all of `offered`. Throws Error(invalid_argument)
/// naming the flag.
std::vector<LineMulticast> lines_from_flag(const std::string& text,
                                           std::span<const LineMulticast> offered);

/// The effective number of links that data use at once along a line of `ranks`, if rectangular
/// multicasts use `links`.
double links_in_effect(LineMulticast lines, double links, int ranks);

/// SUMMA in each of several layers, or 2-D SUMMA with one layer, on a grid whose lines are lines of
/// the torus.
struct LinedProduct {
  LineMulticast lines = LineMulticast::rectangular;
  LayeredGrid grid{1, 1, 1};
  double words = 0;
  double memory = 0;  ///< words per rank
  MultiplicationSeconds seconds;
  bool fits = true;
};

/// The fastest grid for each kind of lines and number of layers. Requires request.placement.
std::vector<LinedProduct> by_lines(const PlanRequest& request, const Rates& rates,
                                   std::span<const LineMulticast> kinds);

}  // namespace cuboid::detail::tools
