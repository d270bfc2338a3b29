#include "mm/plan/planner.hpp"

#include <cuboid/error.hpp>

#include "mm/cannon/sd_cannon.hpp"
#include "mm/decompositions/carma_decomposition.hpp"
#include "mm/decompositions/cosma_decomposition.hpp"
#include "mm/plan/candidate_prices.hpp"
#include "mm/plan/mapped_grid.hpp"
#include "models/multiplication/lower_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

namespace {

/// At most a tenth of the ranks stays outside; of layers that are given, of those that so many
/// layers can share.
bool uses_enough(const PlanRequest& request, std::int64_t ranks, int layers = 1) {
  const int most = request.layers == layers ? request.ranks / layers * layers : request.ranks;
  return ranks <= most && ranks >= most - most / 10;
}

/// Whether a grid has room for neither another row nor another column and leaves few ranks outside.
/// There are only some 2·√p such grids per number of layers, many thousand others of many ranks.
bool is_worth_a_price(const PlanRequest& request, int rows, int columns, int layers) {
  const std::int64_t ranks = request.ranks;
  const auto size = [&](std::int64_t P, std::int64_t Q) { return P * Q * layers; };
  return size(rows + 1, columns) > ranks && size(rows, columns + 1) > ranks &&
         uses_enough(request, size(rows, columns), layers);
}

/// The P×Q grids that leave few ranks outside, laid on the machine.
std::vector<MappedGrid> grids_for(const PlanRequest& request) {
  std::vector<MappedGrid> grids;
  if (const auto& given = request.grid) {
    const bool numbered = given->is_listed() || given->order() != GridOrder::row_major;
    if (numbered) return {MappedGrid(*given)};
    grids.emplace_back(given->rows(), given->columns(), request.placement);
    // C's own, on which it need not move, may be numbered otherwise.
    if (request.stored && request.stored->C.grid() == *given) grids.emplace_back(*given);
    return grids;
  }
  for (int rows = 1; rows <= request.ranks; ++rows) {
    const int columns = request.ranks / rows;
    if (is_worth_a_price(request, rows, columns, 1)) {
      grids.emplace_back(rows, columns, request.placement);
    }
  }
  if (request.stored && uses_enough(request, request.stored->C.grid().size())) {
    grids.emplace_back(request.stored->C.grid());
  }
  return grids;
}

/// All of them, and the largest square, whose blocks rotate in fewest steps.
std::vector<MappedGrid> grids_to_rotate_on(const PlanRequest& request) {
  std::vector<MappedGrid> grids = grids_for(request);
  if (request.grid) return grids;
  const int side = static_cast<int>(std::sqrt(static_cast<double>(request.ranks)) + 1e-9);
  const bool among_them = is_worth_a_price(request, side, side, 1);
  if (side > 1 && !among_them) {
    grids.emplace_back(side, side, request.placement);
  }
  return grids;
}

class Planning {
 public:
  Planning(const PlanRequest& request, const Rates& rates) : request_(request), rates_(rates) {}

  void offer(MultiplicationAlgorithm algorithm) {
    using enum MultiplicationAlgorithm;
    switch (algorithm) {
      case summa:
        for (const MappedGrid& grid : grids_for(request_)) {
          add(summa_on(grid, {}, request_, rates_));
        }
        break;
      case hsumma:
        for (const MappedGrid& grid : grids_for(request_)) offer_groups(grid);
        break;
      case srumma:
        for (const MappedGrid& grid : grids_for(request_)) add(srumma_on(grid, request_, rates_));
        break;
      case cannon:
        for (const MappedGrid& grid : grids_to_rotate_on(request_)) {
          add(rotating_on(algorithm, grid, {}, request_, rates_));
        }
        break;
      case sd_cannon: offer_split(); break;
      case two_and_a_half_d: offer_layers(); break;
      case carma:
        add(in_bricks(algorithm, decompose_for_carma(request_.size, request_.ranks),
                      request_.rounds.value_or(1), request_, rates_));
        break;
      case cosma: offer_cosma(); break;
      case automatic: break;
    }
  }

  std::vector<PlanCandidate> sorted() && {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const PlanCandidate& left, const PlanCandidate& right) {
                       if (left.fits != right.fits) return left.fits;
                       if (!left.fits) return left.memory < right.memory;
                       return left.seconds < right.seconds;
                     });
    prefer_the_leanest();
    return std::move(candidates_);
  }

 private:
  /// A prediction is not so sure that the last percent should cost memory: where several algorithms
  /// are as good as the soonest, the one of least memory comes first, of these the one of fewest
  /// messages.
  void prefer_the_leanest() {
    constexpr double as_good = 1.02;
    const auto leaner = [](const PlanCandidate& left, const PlanCandidate& right) {
      return std::tie(left.memory, left.messages) < std::tie(right.memory, right.messages);
    };
    if (candidates_.empty()) return;
    const double limit = as_good * candidates_.front().seconds;
    auto leanest = candidates_.begin();
    std::vector<MultiplicationAlgorithm> seen;
    for (auto one = candidates_.begin(); one != candidates_.end(); ++one) {
      if (!one->fits || one->seconds > limit) break;
      if (std::ranges::find(seen, one->algorithm) != seen.end()) continue;
      seen.push_back(one->algorithm);
      if (leaner(*one, *leanest)) leanest = one;
    }
    std::rotate(candidates_.begin(), leanest, leanest + 1);
  }

  /// Keeps of an algorithm's candidates those that another one does not beat in time and memory.
  void add(PlanCandidate candidate) {
    const auto beats = [](const PlanCandidate& one, const PlanCandidate& other) {
      return one.algorithm == other.algorithm && one.fits >= other.fits &&
             one.seconds <= other.seconds && one.memory <= other.memory;
    };
    for (const PlanCandidate& other : candidates_) {
      if (beats(other, candidate)) return;
    }
    std::erase_if(candidates_, [&](const PlanCandidate& other) { return beats(candidate, other); });
    candidates_.push_back(std::move(candidate));
  }

  /// Groups that are not fixed must be well worth it: they take more memory, and one group is
  /// SUMMA.
  void offer_groups(const MappedGrid& grid) {
    constexpr double worth_it = 0.98;
    const GroupChoice& choice = request_.groups;
    const bool fixed = choice.shape || choice.count;
    const double of_summa = summa_on(grid, {}, request_, rates_).seconds;
    if (choice.sample) {
      add(sampled_on(grid, request_, rates_));
      return;
    }
    for (const GroupShape& groups : group_shapes(grid.shape)) {
      if (choice.shape && *choice.shape != groups) continue;
      if (choice.count && *choice.count != groups.size()) continue;
      PlanCandidate candidate = summa_on(grid, groups, request_, rates_);
      if (!fixed && groups.size() > 1 && candidate.seconds > worth_it * of_summa) continue;
      candidate.algorithm = MultiplicationAlgorithm::hsumma;
      add(std::move(candidate));
    }
  }

  /// On the machine's own axes where they are known.
  void offer_split() {
    using enum MultiplicationAlgorithm;
    const auto& placement = request_.placement;
    if (placement && placement->full() && placement->ranks() == request_.ranks) {
      const FoldedGrid folded = fold_for_sd_cannon(*placement);
      const GridShape& shape = folded.shape;
      const bool as_given = !request_.grid || (request_.grid->rows() == shape.rows() &&
                                               request_.grid->columns() == shape.columns());
      if (as_given) {
        MappedGrid grid(shape.rows(), shape.columns(), placement);
        grid.shape = shape;
        add(rotating_on(sd_cannon, grid, folded.turns, request_, rates_));
      }
    }
    for (const MappedGrid& grid : grids_to_rotate_on(request_)) {
      add(rotating_on(sd_cannon, grid, FoldedGrid::plain(grid.shape).turns, request_, rates_));
    }
  }

  /// c layers of every grid that leaves few ranks outside, from 2-D to 3-D unless c is given.
  void offer_layers() {
    const int ranks = request_.ranks;
    const auto offer = [&](int rows, int columns, int layers) {
      const LaidLayers grid(rows, columns, layers, request_.placement);
      for (const LayerAlgorithm inside :
           {LayerAlgorithm::summa, LayerAlgorithm::cannon, LayerAlgorithm::slabs}) {
        if (request_.inside.value_or(inside) != inside) continue;
        add(in_layers(grid, inside, request_, rates_));
      }
    };
    for (int c = request_.layers.value_or(1); c <= request_.layers.value_or(ranks); ++c) {
      if (!request_.layers && std::int64_t{c} * c * c > ranks) break;
      if (const auto& given = request_.grid) {
        if (std::int64_t{given->size()} * c <= ranks) offer(given->rows(), given->columns(), c);
        continue;
      }
      for (int rows = 1; rows <= ranks / c; ++rows) {
        const int columns = ranks / c / rows;
        if (is_worth_a_price(request_, rows, columns, c)) offer(rows, columns, c);
      }
    }
  }

  /// The grid of the fewest words. Some numbers of ranks have no good one, primes above all: of few
  /// ranks more may stay idle where that pays.
  void offer_cosma() {
    constexpr int few_ranks = 64;
    constexpr double many_idle = 0.25;
    CosmaLimits limits{
        .memory = request_.memory, .grid = request_.bricks, .rounds = request_.rounds};
    offer_cosma(limits);
    if (request_.bricks || request_.ranks > few_ranks) return;
    limits.idle_share = many_idle;
    offer_cosma(limits);
  }

  /// With the rounds that suit it; where memory is short, the one that fits; where nothing does,
  /// what it would take.
  void offer_cosma(CosmaLimits limits) {
    const auto decomposed = [&] {
      try {
        return decompose_for_cosma(request_.size, request_.ranks, limits);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        limits.memory = static_cast<std::int64_t>(
            least_memory_for_cosma(request_.size, request_.ranks, limits));
        return decompose_for_cosma(request_.size, request_.ranks, limits);
      }
    }();
    const PlanCandidate candidate = in_bricks(MultiplicationAlgorithm::cosma, decomposed.grid,
                                              decomposed.rounds, request_, rates_);
    add(candidate);
    // What must be brought into other layouts takes its part of the memory, too.
    const double others = candidate.memory - brick_memory(decomposed.grid, decomposed.rounds);
    if (!candidate.fits && limits.memory && others > 0 && limits.memory == request_.memory) {
      limits.memory = *limits.memory - static_cast<std::int64_t>(std::ceil(others));
      if (*limits.memory > 0) offer_cosma(limits);
      return;
    }
    // Where nothing is hidden, rounds only cost messages and narrow panels.
    if (!rates_.one_node || limits.rounds || decomposed.rounds == 1) return;
    add(in_bricks(MultiplicationAlgorithm::cosma, decomposed.grid, 1, request_, rates_));
  }

  const PlanRequest& request_;
  const Rates& rates_;
  std::vector<PlanCandidate> candidates_;
};

void check(const PlanRequest& request) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "planner: " + message);
  };
  if (request.ranks < 1) reject(fmt::format("{} ranks: give at least 1", request.ranks));
  const auto& [m, n, k] = request.size;
  if (m < 0 || n < 0 || k < 0) {
    reject(fmt::format("{} x {} x {}: give extents of 0 or more", m, n, k));
  }
  if (request.panel_width && *request.panel_width < 1) {
    reject(fmt::format("panel width {}: give at least 1", *request.panel_width));
  }
  if (request.layers && *request.layers < 1) {
    reject(fmt::format("{} layers: give at least 1", *request.layers));
  }
  if (request.rounds && (*request.rounds < 1 || *request.rounds > std::max<std::int64_t>(k, 1))) {
    reject(fmt::format("{} rounds for an inner dimension of {}: give 1 to {}", *request.rounds, k,
                       std::max<std::int64_t>(k, 1)));
  }
  if (request.grid && request.grid->size() > request.ranks) {
    reject(fmt::format("a {} grid needs {} ranks, there are {}: give a smaller grid or more ranks",
                       to_string(*request.grid), request.grid->size(), request.ranks));
  }
}

/// Names what was fixed.
std::string what_to_give_instead(const PlanRequest& request) {
  std::vector<std::string> fixed;
  if (request.grid) fixed.push_back(fmt::format("a {} grid", to_string(*request.grid)));
  if (request.bricks) fixed.push_back(fmt::format("a {} grid", fmt::join(*request.bricks, "x")));
  if (request.layers) fixed.push_back(fmt::format("{} layers", *request.layers));
  const auto& groups = request.groups;
  if (groups.shape) fixed.push_back(fmt::format("{} groups", to_string(*groups.shape)));
  if (groups.count) fixed.push_back(fmt::format("{} groups", *groups.count));
  if (groups.sample) fixed.emplace_back("measured groups");
  if (request.outer_width) fixed.push_back(fmt::format("outer panels of {}", *request.outer_width));
  if (request.panel_width) fixed.push_back(fmt::format("panels of {}", *request.panel_width));
  if (request.inside) fixed.emplace_back("a choice inside layers");
  if (request.rounds) fixed.push_back(fmt::format("{} rounds", *request.rounds));
  if (request.sides == Sidedness::one_sided) fixed.emplace_back("one-sided exchanges");
  if (fixed.empty()) return ": give another algorithm";
  return fmt::format(" with {}: give {}, or none", fmt::join(fixed, " and "),
                     fixed.size() > 1 ? "others" : "another");
}

}  // namespace

std::vector<PlanCandidate> plan_candidates(const PlanRequest& request, const Rates& rates,
                                           std::span<const MultiplicationAlgorithm> algorithms) {
  check(request);
  Planning planning(request, rates);
  for (const MultiplicationAlgorithm algorithm : algorithms) planning.offer(algorithm);
  return std::move(planning).sorted();
}

const PlanCandidate& cheapest(const std::vector<PlanCandidate>& candidates,
                              const PlanRequest& request) {
  const auto& [m, n, k] = request.size;
  if (candidates.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("planner: no algorithm for {} x {} x {} on {} ranks{}", m, n, k,
                            request.ranks, what_to_give_instead(request)));
  }
  const PlanCandidate& first = candidates.front();
  if (!first.fits) {
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("planner: {} x {} x {} on {} ranks does not fit into {} words per rank: "
                    "allow {:.0f} words ({:.0f} bytes), or use more ranks",
                    m, n, k, request.ranks, *request.memory, std::ceil(first.memory),
                    std::ceil(first.memory) * static_cast<double>(request.element_bytes)));
  }
  return first;
}

double lower_bound_words(const PlanRequest& request) {
  std::optional<double> memory;
  if (request.memory) memory = static_cast<double>(*request.memory);
  return least_received(extents_of(request.size), request.ranks, memory);
}

}  // namespace cuboid::detail
