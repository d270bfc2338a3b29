#include "mm/qr/qr_plan.hpp"

#include <cuboid/error.hpp>

#include "mm/lu/soonest_plan.hpp"
#include "mm/plan/mapped_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

void check_qr(const FactoriseRequest& request, const QrOptions& options) {
  const auto refuse = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "QR: " + message);
  };
  check_factorisation("QR", request.m, request.n, options);
  if (options.grid && !options.grid->is_on_first_ranks())
    refuse("the grid lists ranks: give one of ranks 0 to P*Q - 1");
  if (options.grid && options.grid->size() > request.ranks) {
    refuse(fmt::format("a {} grid needs {} ranks, there are {}: give a smaller grid or more ranks",
                       to_string(*options.grid), options.grid->size(), request.ranks));
  }
}

/// The grids that leave at most a tenth of the ranks idle, and are not much longer than the matrix.
/// For each number of columns, the grid with most rows.
std::vector<GridShape> qr_grids_to_try(const FactoriseRequest& request, const QrOptions& options) {
  if (options.grid) return {*options.grid};
  constexpr double longer = 8;
  const double tall = static_cast<double>(std::max<std::int64_t>(request.m, 1)) /
                      static_cast<double>(std::max<std::int64_t>(request.n, 1));
  const int ranks = request.ranks;
  std::vector<GridShape> grids;
  for (int rows = 1; rows <= ranks; ++rows) {
    const int columns = ranks / rows;
    if (ranks / columns != rows) continue;
    const bool few_outside = std::int64_t{rows} * columns * 10 >= std::int64_t{ranks} * 9;
    const double aspect = static_cast<double>(rows) / columns;
    if (few_outside && aspect <= longer * std::max(tall, 1.0) &&
        aspect * longer >= std::min(tall, 1.0))
      grids.emplace_back(rows, columns);
  }
  if (grids.empty()) grids.push_back(choose_grid(ranks));
  return grids;
}

std::vector<std::int64_t> qr_blocks_to_try(const FactoriseRequest& request,
                                           const QrOptions& options) {
  if (options.block) return {*options.block};
  std::vector<std::int64_t> blocks;
  for (const std::int64_t block : {16, 32, 48, 64, 96, 128, 192, 256}) {
    if (blocks.empty() || blocks.back() < std::min(request.m, request.n)) blocks.push_back(block);
  }
  return blocks;
}

QrPlan qr_with_cost(const FactoriseRequest& request, const QrOptions& options,
                    const MappedGrid& mapped, std::int64_t block) {
  QrPlan plan{.grid = mapped.shape, .block = block};
  const PanelSchedule schedule = plan.schedule(request.m, request.n);
  plan.block = schedule.block();
  LuRates rates = request.rates;
  rates.element_bytes = request.element_bytes;
  // A step's messages are too short for more links than both directions of a ring.
  constexpr double both_ways = 2;
  if (mapped.rows && mapped.columns) {
    rates.links = {std::min(mapped.rows->spread, both_ways),
                   std::min(mapped.columns->spread, both_ways)};
  }
  plan.memory_bytes = bytes_of(qr_memory(schedule), request.element_bytes);
  plan.fits = !options.memory_limit || plan.memory_bytes <= *options.memory_limit;
  const QrCost cost = qr_cost(schedule, rates);
  plan.seconds = cost.seconds;
  plan.communication = cost.communication;
  return plan;
}

}  // namespace

std::vector<QrPlan> qr_candidates(const FactoriseRequest& request, const QrOptions& options) {
  check_qr(request, options);
  std::vector<QrPlan> candidates;
  auto machine = mapper_of(options.grid ? std::nullopt : request.placement);
  for (const GridShape& grid : qr_grids_to_try(request, options)) {
    const MappedGrid mapped =
        options.grid ? MappedGrid(grid)
                     : MappedGrid(grid.rows(), grid.columns(), machine ? &*machine : nullptr);
    for (const std::int64_t block : qr_blocks_to_try(request, options))
      candidates.push_back(qr_with_cost(request, options, mapped, block));
  }
  sort_soonest_first(candidates);
  return candidates;
}

QrPlan plan_qr(const FactoriseRequest& request, const QrOptions& options) {
  const std::vector<QrPlan> candidates = qr_candidates(request, options);
  if (!candidates.front().fits) {
    refuse_memory(
        fmt::format("QR: a {}x{} matrix on {} ranks", request.m, request.n, request.ranks), "",
        std::ranges::min(candidates, {}, &QrPlan::memory_bytes).memory_bytes,
        options.memory_limit.value_or(0));
  }
  return candidates.front();
}

}  // namespace cuboid::detail
