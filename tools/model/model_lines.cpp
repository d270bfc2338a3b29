#include "tools/model/model_lines.hpp"

#include "mm/plan/candidate_costs.hpp"
#include "mm/plan/mapped_grid.hpp"
#include "tools/output/flag_values.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

/// The grids of a layer whose lines are lines of the torus. Grids that are much longer than wide
/// are omitted because they only move more words.
std::vector<LaidLayers> grids_of(const PlanRequest& request, int layers) {
  constexpr int longest_to_shortest = 4;
  std::vector<LaidLayers> grids;
  std::optional<Mapper> machine = mapper_of(request.placement);
  const int ranks = request.ranks / layers;
  for (int rows = 1; rows <= ranks; ++rows) {
    const int columns = ranks / rows;
    const bool too_long =
        rows > longest_to_shortest * columns || columns > longest_to_shortest * rows;
    if (rows * columns != ranks || too_long) continue;
    LaidLayers grid(rows, columns, layers, machine ? &*machine : nullptr);
    if (grid.rows && grid.columns && grid.layers) grids.push_back(std::move(grid));
  }
  return grids;
}

LinedProduct with_cost(const LaidLayers& grid, LineMulticast kind, const PlanRequest& request,
                       const Rates& rates) {
  constexpr double panel_width = 128, panels_held = 3;
  const int rows = grid.shape.rows(), columns = grid.shape.columns();
  const int layers = grid.shape.layers();
  const MultiplicationCost cost = layered_cost(extents_of(request.size), rows, columns, layers,
                                               {.width = panel_width, .held = panels_held});
  const auto bytes = static_cast<double>(request.element_bytes);
  // A row of the grid has one rank in each column.
  const LinksOfLines links{.a = links_in_effect(kind, grid.rows->spread, columns),
                           .b = links_in_effect(kind, grid.columns->spread, rows),
                           .c = links_in_effect(kind, grid.layers->spread, layers),
                           .apart = true};
  return {.lines = kind,
          .grid = grid.shape,
          .words = cost.words(),
          .memory = cost.memory,
          .seconds = multiplication_seconds(
              cost,
              {.per_element = {rates.network.alpha, rates.network.beta * bytes},
               .multiplications_per_second = rates.multiplications_per_second,
               .overlap = rates.overlap},
              links),
          .fits = !request.memory || cost.memory <= static_cast<double>(*request.memory)};
}

}  // namespace

std::string_view name_of(LineMulticast lines) {
  switch (lines) {
    case LineMulticast::rectangular: return "rectangular";
    case LineMulticast::binomial: return "binomial";
    default: return "mpi";
  }
}

std::vector<LineMulticast> lines_from_flag(const std::string& text,
                                           std::span<const LineMulticast> offered) {
  std::vector<std::string_view> names;
  for (const LineMulticast lines : offered) {
    names.push_back(name_of(lines));
    if (names.back() == text) return {lines};
  }
  if (text == "all") return {offered.begin(), offered.end()};
  refuse(fmt::format("--lines {}: give all, {}", text, fmt::join(names, ", ")));
}

double links_in_effect(LineMulticast lines, double links, int ranks) {
  if (ranks < 2) return 1;
  switch (lines) {
    case LineMulticast::rectangular: return links;
    case LineMulticast::binomial: return links / std::ceil(std::log2(ranks));
    default: return 0.5 * ranks / (ranks - 1) * std::min(links, 1.0);
  }
}

std::vector<LinedProduct> by_lines(const PlanRequest& request, const Rates& rates,
                                   std::span<const LineMulticast> kinds) {
  std::vector<LinedProduct> best;
  for (int layers = 1; std::int64_t{layers} * layers * layers <= request.ranks; ++layers) {
    if (request.ranks % layers != 0) continue;
    const std::vector<LaidLayers> grids = grids_of(request, layers);
    for (const LineMulticast kind : kinds) {
      std::optional<LinedProduct> fastest;
      for (const LaidLayers& grid : grids) {
        LinedProduct one = with_cost(grid, kind, request, rates);
        if (!fastest || one.seconds.total < fastest->seconds.total) fastest = std::move(one);
      }
      if (fastest) best.push_back(std::move(*fastest));
    }
  }
  return best;
}

}  // namespace cuboid::detail::tools
