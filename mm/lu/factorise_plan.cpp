#include "mm/lu/factorise_plan.hpp"

#include <cuboid/error.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "mm/lu/soonest_plan.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/plan/mapped_grid.hpp"
#include "mm/plan/rates.hpp"
#include "models/messages/usual_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

const char* name_of(FactorisationKind kind) {
  switch (kind) {
    case FactorisationKind::lu: return "LU";
    case FactorisationKind::cholesky: return "Cholesky";
    case FactorisationKind::qr: break;
  }
  return "QR";
}

void check(const FactoriseRequest& request, const FactoriseOptions& options) {
  const auto refuse = [&](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, name_of(request.kind) + (": " + message));
  };
  const int ranks = request.ranks;
  check_factorisation(name_of(request.kind), request.m, request.n, options);
  if (options.layers && (*options.layers < 1 || *options.layers > ranks))
    refuse(fmt::format("{} layers: give 1 to {}, the ranks", *options.layers, ranks));
  const int layers = options.layers.value_or(1);
  if (options.grid && options.grid->size() > ranks / layers) {
    refuse(
        fmt::format("a {}x{}x{} grid needs {} ranks, there are {}: give a smaller grid or more "
                    "ranks",
                    options.grid->rows(), options.grid->columns(), layers,
                    std::int64_t{options.grid->size()} * layers, ranks));
  }
}

LuPivotCost cost_of(Pivoting pivoting) {
  switch (pivoting) {
    case Pivoting::none: return LuPivotCost::none;
    case Pivoting::tournament: return LuPivotCost::tournament;
    case Pivoting::partial: break;
  }
  return LuPivotCost::partial;
}

/// The numbers of layers to try, up to the cube root of the ranks: more layers save no words
/// (Solomonik, Bhatele and Demmel 2012, §3.1.1).
std::vector<int> layers_to_try(const FactoriseRequest& request, const FactoriseOptions& options) {
  if (options.layers) return {*options.layers};
  std::vector<int> layers;
  const int ranks = options.grid ? request.ranks / options.grid->size() : request.ranks;
  for (int c = 1; c <= ranks && std::int64_t{c} * c * c <= request.ranks; ++c) layers.push_back(c);
  return layers;
}

/// The grids that leave at most a tenth of the ranks idle, and are not much longer than wide.
std::vector<GridShape> grids_to_try(const FactoriseOptions& options, int ranks) {
  if (options.grid) return {*options.grid};
  constexpr int longest = 8;
  std::vector<GridShape> grids;
  for (int rows = 1; rows <= ranks; ++rows) {
    const int columns = ranks / rows;
    const bool few_outside = std::int64_t{rows} * columns * 10 >= std::int64_t{ranks} * 9;
    if (few_outside && rows <= longest * columns && columns <= longest * rows)
      grids.emplace_back(rows, columns);
  }
  if (grids.empty()) grids.push_back(choose_grid(ranks));
  return grids;
}

std::vector<std::int64_t> blocks_to_try(const FactoriseRequest& request,
                                        const FactoriseOptions& options) {
  if (options.block) return {*options.block};
  std::vector<std::int64_t> blocks;
  for (const std::int64_t block : {16, 32, 48, 64, 96, 128, 192, 256}) {
    if (blocks.empty() || block < std::min(request.m, request.n)) blocks.push_back(block);
  }
  return blocks;
}

/// The effective links of a line. A step's messages are too short for more links than both
/// directions of a ring. If lines share links, routes half-way round a ring take turns between both
/// directions: the rate is between that of the worst link and twice that, here √2 times.
double links_of(const LineRate& line) {
  constexpr double both_ways = 2;
  return line.spread < 1 ? std::numbers::sqrt2 * line.spread : std::min(line.spread, both_ways);
}

/// A plan without its cost, and what its cost depends on.
struct UnpricedPlan {
  FactorisePlan plan;
  LuLinks links;
};

UnpricedPlan unpriced(const FactoriseRequest& request, const FactoriseOptions& options,
                      const LaidLayers& laid, std::int64_t block) {
  FactorisePlan plan{.grid = laid.shape, .block = block};
  const PanelSchedule schedule = plan.schedule(request.m, request.n);
  plan.block = schedule.block();
  // The blocks that local kernels pack to stay in the caches.
  constexpr std::int64_t packed_blocks = 1 << 20;
  plan.memory_bytes = bytes_of(lu_memory(schedule), request.element_bytes) + packed_blocks;
  plan.fits = !options.memory_limit || plan.memory_bytes <= *options.memory_limit;
  LuLinks links = request.rates.links;
  if (laid.rows && laid.columns) {
    links = {links_of(*laid.rows), links_of(*laid.columns),
             laid.layers ? links_of(*laid.layers) : 1};
  }
  return {plan, links};
}

/// Every grid, number of layers and block that the options allow.
std::vector<UnpricedPlan> unpriced_candidates(const FactoriseRequest& request,
                                              const FactoriseOptions& options) {
  check(request, options);
  std::vector<UnpricedPlan> candidates;
  auto machine = mapper_of(options.grid ? std::nullopt : request.placement);
  for (const int layers : layers_to_try(request, options)) {
    for (const GridShape& grid : grids_to_try(options, request.ranks / layers)) {
      const LaidLayers laid(grid.rows(), grid.columns(), layers, machine ? &*machine : nullptr);
      for (const std::int64_t block : blocks_to_try(request, options))
        candidates.push_back(unpriced(request, options, laid, block));
    }
  }
  return candidates;
}

LuRates rates_of(const FactoriseRequest& request, const UnpricedPlan& candidate) {
  LuRates rates = request.rates;
  rates.element_bytes = request.element_bytes;
  rates.links = candidate.links;
  return rates;
}

FactorisePlan with_cost(const FactoriseRequest& request, const FactoriseOptions& options,
                        const UnpricedPlan& candidate) {
  FactorisePlan plan = candidate.plan;
  const PanelSchedule schedule = plan.schedule(request.m, request.n);
  const LuRates rates = rates_of(request, candidate);
  const LuCost cost = request.kind == FactorisationKind::cholesky
                          ? cholesky_cost(CholeskySchedule(schedule), rates)
                          : lu_cost(schedule, cost_of(options.pivoting), rates);
  plan.seconds = cost.seconds;
  plan.communication = cost.communication;
  return plan;
}

/// A lower bound of the seconds of with_cost(): the more stretches, the closer.
double least_seconds(const FactoriseRequest& request, const UnpricedPlan& candidate,
                     std::int64_t stretches) {
  if (request.kind != FactorisationKind::cholesky) return 0;
  return cholesky_least_seconds(CholeskySchedule(candidate.plan.schedule(request.m, request.n)),
                                rates_of(request, candidate), stretches);
}

/// If ranks share cores, messages wait for the cores; the work of the cores counts that, but for
/// the turns of partial pivoting.
LuRates lu_rates(const Communicator& communicator, double multiplications_per_second) {
  const auto& cost_model = communicator.state().cost_model;
  constexpr double messages_of_a_step = 2, segment = 16 << 10;
  const bool one_node = cost_model.nodes.nodes() == 1;
  const auto core_seconds = [&](double bytes) {
    if (one_node) return cost_model.overhead + bytes * cost_model.node.beta;
    return cost_model.core_seconds(cost_model.ranks(), cost_model.ranks() * bytes) /
           cost_model.ranks_per_core;
  };
  LuRates rates{.network = cost_model.slowest(),
                .burst_bytes = cost_model.burst_bytes,
                .multiplications_per_second = multiplications_per_second,
                .seconds_per_byte_moved = usual_core.seconds_per_byte_moved,
                .ranks_per_core = cost_model.ranks_per_core,
                .seconds_of_turns = cost_model.context_switch * (cost_model.ranks_per_core - 1),
                .seconds_per_collective = usual_core.seconds_per_plan,
                .seconds_per_tree_step = messages_of_a_step * core_seconds(0),
                .core_seconds_per_byte = (core_seconds(segment) - core_seconds(0)) / segment,
                .overlap = cost_model.overlap};
  if (!one_node) {
    rates.seconds_of_turns = cost_model.context_switches_of_others();
    rates.network.alpha = std::max(0.0, rates.network.alpha - rates.seconds_of_turns);
  }
  return rates;
}

}  // namespace

template <MatrixElement T>
FactoriseRequest factorise_request(const Communicator& communicator, FactorisationKind kind,
                                   std::int64_t m, std::int64_t n) {
  return {.kind = kind,
          .m = m,
          .n = n,
          .element_bytes = sizeof(T),
          .ranks = communicator.size(),
          .rates = lu_rates(communicator, usual_gemm_rate<T>()),
          .placement = placement_of(communicator)};
}

std::vector<FactorisePlan> factorise_candidates(const FactoriseRequest& request,
                                                const FactoriseOptions& options) {
  std::vector<FactorisePlan> candidates;
  for (const UnpricedPlan& candidate : unpriced_candidates(request, options))
    candidates.push_back(with_cost(request, options, candidate));
  sort_soonest_first(candidates);
  return candidates;
}

SoonestPlans soonest_plans(const FactoriseRequest& request, const FactoriseOptions& options,
                           std::size_t most) {
  const std::vector<UnpricedPlan> candidates = unpriced_candidates(request, options);
  // Sums of equal seconds may differ in their last digits.
  constexpr double rounding = 1e-9;
  constexpr std::int64_t few = 16, many = 256;
  const auto bound = [&](std::size_t number, std::int64_t stretches) {
    const double least = least_seconds(request, candidates[number], stretches);
    return PlanRank{!candidates[number].plan.fits, least * (1 - rounding)};
  };
  std::vector<std::pair<PlanRank, std::size_t>> by_bound;
  for (std::size_t number = 0; number < candidates.size(); ++number)
    by_bound.emplace_back(bound(number, few), number);
  std::ranges::sort(by_bound);

  std::vector<std::pair<std::size_t, FactorisePlan>> priced;
  std::multiset<PlanRank> soonest;         // of all, `most` at most
  std::map<int, PlanRank> soonest_layers;  // of each number of layers
  const auto is_ruled_out = [&](const PlanRank& least, int layers) {
    const auto same = soonest_layers.find(layers);
    return soonest.size() == most && *soonest.rbegin() < least && same != soonest_layers.end() &&
           same->second < least;
  };
  for (const auto& [least, number] : by_bound) {
    const int layers = candidates[number].plan.grid.layers();
    if (is_ruled_out(least, layers) || is_ruled_out(bound(number, many), layers)) continue;
    priced.emplace_back(number, with_cost(request, options, candidates[number]));
    const PlanRank rank = rank_of(priced.back().second);
    soonest.insert(rank);
    if (soonest.size() > most) soonest.erase(std::prev(soonest.end()));
    const auto [same, is_new] = soonest_layers.emplace(layers, rank);
    if (!is_new) same->second = std::min(same->second, rank);
  }
  std::ranges::sort(priced, {}, &std::pair<std::size_t, FactorisePlan>::first);
  std::vector<FactorisePlan> sorted;
  for (const auto& [number, plan] : priced) sorted.push_back(plan);
  sort_soonest_first(sorted);
  SoonestPlans result{.plans = {}, .candidates = candidates.size()};
  std::set<int> known_layers;
  for (const FactorisePlan& plan : sorted) {
    const bool is_new = known_layers.insert(plan.grid.layers()).second;
    if (result.plans.size() < most || is_new) result.plans.push_back(plan);
  }
  return result;
}

FactorisePlan plan_factorisation(const FactoriseRequest& request, const FactoriseOptions& options) {
  const FactorisePlan soonest = soonest_plans(request, options, 1).plans.front();
  if (!soonest.fits) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const UnpricedPlan& candidate : unpriced_candidates(request, options))
      least = std::min(least, candidate.plan.memory_bytes);
    refuse_memory(fmt::format("{}: a {}x{} matrix on {} ranks", name_of(request.kind), request.m,
                              request.n, request.ranks),
                  options.layers ? fmt::format(" in {} layers", *options.layers) : "", least,
                  options.memory_limit.value_or(0));
  }
  return soonest;
}

#define CUBOID_FOR(T)                                                                    \
  template FactoriseRequest factorise_request<T>(const Communicator&, FactorisationKind, \
                                                 std::int64_t, std::int64_t)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

Layout factorisation_layout(std::int64_t m, std::int64_t n, const FactorisePlan& plan) {
  const LayeredGrid& grid = plan.grid;
  // As in 2.5D multiplication, the layout spans all ranks: layers are groups of rows.
  const GridShape all = grid.b_layout(0, 0).grid();
  return {BlockCyclic<Row>(m, plan.block, all.rows()),
          BlockCyclic<Column>(n, plan.block, all.columns()), all};
}

}  // namespace cuboid::detail
