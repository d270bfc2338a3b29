#include <cuboid/base/error.hpp>
#include <cuboid/mm/busiest_link.hpp>
#include <cuboid/mm/carma_decomposition.hpp>
#include <cuboid/mm/cosma_decomposition.hpp>
#include <cuboid/mm/hsumma.hpp>
#include <cuboid/mm/laid_grid.hpp>
#include <cuboid/mm/planner.hpp>
#include <cuboid/mm/sd_cannon.hpp>
#include <cuboid/mm/srumma_multiplication.hpp>
#include <cuboid/mm/summa.hpp>
#include <cuboid/models/lower_bounds.hpp>
#include <cuboid/models/multiplication_costs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

namespace {

/// A rank's share of the matrices that do not lie as an algorithm wants them; C's twice, there and
/// back. Panels of SUMMA are redistributed one by one, and every algorithm can say what it wants.
double words_to_redistribute(const PlanCandidate& candidate, const PlanRequest& request) {
  if (!request.stored) return 0;
  const StoredProduct& stored = *request.stored;
  const auto& [m, n, k] = request.size;
  const auto share = [&](std::int64_t rows, std::int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) / request.ranks;
  };
  double words = 0;
  const auto want = [&](bool lies, double moved) { words += lies ? 0 : moved; };
  if (const auto& layered = candidate.layered) {
    want(applied(stored.op_a, stored.A) == layered->a_layout(m, k), share(m, k));
    want(applied(stored.op_b, stored.B) == layered->b_layout(k, n), share(k, n));
    want(stored.C == layered->c_layout(m, n), 2 * share(m, n));
  } else if (const auto& bricks = candidate.bricks) {
    want(applied(stored.op_a, stored.A) == bricks->a_layout(), share(m, k));
    want(applied(stored.op_b, stored.B) == bricks->b_layout(), share(k, n));
    want(stored.C == bricks->c_layout(), 2 * share(m, n));
  } else {
    const GridShape& grid = candidate.grid;
    want(applied(stored.op_a, stored.A).grid() == grid, share(m, k));
    want(applied(stored.op_b, stored.B).grid() == grid, share(k, n));
    want(stored.C.grid() == grid, 2 * share(m, n));
  }
  return words;
}

ProductExtents extents_of(const ProductSize& size) {
  return {static_cast<double>(size.m), static_cast<double>(size.n), static_cast<double>(size.k)};
}

/// Fills in what a candidate costs.
void price(PlanCandidate& candidate, const MultiplicationCost& cost, const LinksOfLines& links,
           const PlanRequest& request, const Rates& rates) {
  const double bytes_per_word = static_cast<double>(request.element_bytes);
  const RankRates per_element{{rates.network.alpha, rates.network.beta * bytes_per_word},
                              rates.multiplications_per_second,
                              rates.memory_seconds_per_byte * bytes_per_word,
                              rates.overlap};
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
  if (const double moved = words_to_redistribute(candidate, request); moved > 0) {
    // Packed, sent, unpacked; by every rank to every other.
    const double to_move =
        rates.network.alpha * (request.ranks - 1) + rates.network.beta * bytes_per_word * 3 * moved;
    candidate.words += moved;
    candidate.memory += moved;
    candidate.communicate_seconds += to_move;
    candidate.seconds += to_move;
  }
  candidate.fits = !request.memory || candidate.memory <= static_cast<double>(*request.memory);
}

/// One link where nothing is known of the lines.
LinksOfLines links_to_spread(const LaidGrid& grid) {
  if (!grid.rows || !grid.columns) return {};
  return {grid.rows->spread, grid.columns->spread, 1, true};
}

/// Narrower where messages travel while ranks multiply: nothing hides the first panel.
std::int64_t panel_width(const PlanRequest& request, const Rates& rates) {
  return request.panel_width.value_or(rates.overlap ? default_panel_width / 2
                                                    : default_panel_width);
}

PanelOrder panel_order(const Rates& rates) {
  return rates.overlap ? PanelOrder::all_owners : PanelOrder::in_turn;
}

/// By SUMMA, of each operand.
double panels_held(PanelOrder order) {
  return order == PanelOrder::all_owners ? 3 : 2;
}

/// Where messages can be followed link by link in no time.
const Placement* to_route_on(const PlanRequest& request) {
  constexpr int most_ranks = 256;
  const bool known = request.placement && request.placement->ranks() >= request.ranks;
  return known && request.ranks <= most_ranks ? &*request.placement : nullptr;
}

double catch_up_words(const PlanRequest& request, const Rates& rates) {
  return rates.catch_up_bytes / static_cast<double>(request.element_bytes);
}

/// How much of a link a rank has for `words`, while the busiest link carries `on_link`.
double share_of_link(double words, double on_link) {
  return on_link > 0 ? words / on_link : 1;
}

PlanCandidate srumma_on(const LaidGrid& grid, const PlanRequest& request, const Rates& rates) {
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::srumma, .grid = grid.shape};
  const auto cost = srumma_cost(extents_of(request.size), grid.shape.rows(), grid.shape.columns(),
                                static_cast<double>(widest_srumma_task));
  LinksOfLines links;
  if (const Placement* placement = to_route_on(request)) {
    const BusiestLink link = busiest_link_of_srumma(grid.shape, request.size, widest_srumma_task,
                                                    *placement, catch_up_words(request, rates));
    links.a = links.b = share_of_link(cost.a_words + cost.b_words, link.operands);
  }
  price(candidate, cost, links, request, rates);
  return candidate;
}

/// SUMMA, and HSUMMA with groups.
PlanCandidate summa_on(const LaidGrid& grid, const GroupShape& groups, const PlanRequest& request,
                       const Rates& rates) {
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::summa, .grid = grid.shape};
  candidate.groups = groups;
  // Alone, all at once is best.
  candidate.panel_width = grid.shape.size() == 1 && !request.panel_width
                              ? std::max<std::int64_t>(request.size.k, 1)
                              : panel_width(request, rates);
  constexpr std::int64_t panels = 4;
  const std::int64_t outer_width = candidate.panel_width < request.size.k / panels
                                       ? panels * candidate.panel_width
                                       : request.size.k;
  candidate.outer_width =
      std::max(request.outer_width.value_or(outer_width), candidate.panel_width);
  candidate.order = panel_order(rates);
  // One rank in each group is SUMMA with the outer panels.
  const bool each_alone = groups.size() == grid.shape.size();
  const bool plain = groups.size() == 1 || each_alone;
  const auto width =
      each_alone && !(P == 1 && Q == 1) ? candidate.outer_width : candidate.panel_width;
  const GroupShape counted = plain ? GroupShape{} : groups;
  const auto cost = summa_cost(extents_of(request.size), P, Q,
                               {.inner = static_cast<double>(width),
                                .outer = static_cast<double>(candidate.outer_width),
                                .groups_along_rows = static_cast<double>(counted.columns),
                                .groups_along_columns = static_cast<double>(counted.rows),
                                .held = plain ? panels_held(candidate.order) : 2});
  LinksOfLines links = links_to_spread(grid);
  if (links.apart) {
    const auto is_ring = [](double spread) { return spread > 1; };
    links.a /= crossing_factor(Q, groups.columns, is_ring(links.a));
    links.b /= crossing_factor(P, groups.rows, is_ring(links.b));
  }
  price(candidate, cost, links, request, rates);
  return candidate;
}

/// Cannon's and SD-Cannon's.
PlanCandidate rotating_on(MultiplicationAlgorithm algorithm, const LaidGrid& grid,
                          std::vector<Turn> turns, const PlanRequest& request, const Rates& rates) {
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  PlanCandidate candidate{.algorithm = algorithm, .grid = grid.shape};
  const bool split = algorithm == MultiplicationAlgorithm::sd_cannon;
  const auto colours = split ? 2 * turns.size() : 1;
  int steps = std::lcm(P, Q);
  if (split) {
    steps = 1;
    for (const Turn& turn : turns) steps *= turn.blocks();
  }
  candidate.turns = std::move(turns);
  const auto cost =
      rotation_cost(extents_of(request.size), P, Q, steps, static_cast<double>(colours));
  LinksOfLines links;
  if (grid.rows && grid.columns) {
    const auto over = [&](const LineRate& line) { return split ? line.spread : line.shift; };
    links = {over(*grid.rows) / stagger_factor(Q, split),
             over(*grid.columns) / stagger_factor(P, split), 1, true};
  }
  price(candidate, cost, links, request, rates);
  return candidate;
}

PlanCandidate in_layers(const LaidLayers& grid, InsideLayers inside, const PlanRequest& request,
                        const Rates& rates) {
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  const bool shifts = inside == InsideLayers::cannon;
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::two_and_a_half_d,
                          .grid = GridShape(P, Q)};
  candidate.layered = grid.shape;
  candidate.inside = inside;
  candidate.panel_width = panel_width(request, rates);
  candidate.order = panel_order(rates);
  const double slabs = number_of_slabs(request.size.m / P, request.size.n / Q);
  const auto cost = layered_cost(extents_of(request.size), P, Q, grid.shape.layers(),
                                 {.shifts = shifts,
                                  .steps = static_cast<double>(std::lcm(P, Q)),
                                  .slabs = inside == InsideLayers::slabs ? slabs : 0,
                                  .width = static_cast<double>(candidate.panel_width),
                                  .held = panels_held(candidate.order)});
  LinksOfLines links;
  if (grid.rows && grid.columns && grid.layers) {
    links = shifts ? LinksOfLines{grid.rows->shift / stagger_factor(Q, false),
                                  grid.columns->shift / stagger_factor(P, false), 1, true}
                   : LinksOfLines{grid.rows->spread, grid.columns->spread, 1, true};
    links.c = grid.layers->spread;
  }
  price(candidate, cost, links, request, rates);
  return candidate;
}

/// Counted slice by slice, as faces are cut unevenly.
PlanCandidate in_bricks(MultiplicationAlgorithm algorithm, BrickGrid bricks, int rounds,
                        const PlanRequest& request, const Rates& rates) {
  const BrickCost busiest = bricks.busiest(rounds);
  const auto formula =
      brick_cost(extents_of(request.size), bricks.parts(WorkAxis::rows),
                 bricks.parts(WorkAxis::columns), bricks.parts(WorkAxis::inner), rounds);
  const double sums = std::min(formula.c_words, busiest.words_received);
  PlanCandidate candidate{.algorithm = algorithm, .sides = request.sides};
  const double memory = brick_memory(bricks, rounds);
  const double operands = busiest.words_received - sums;
  LinksOfLines links;
  if (const Placement* placement = to_route_on(request)) {
    const BusiestLink link =
        busiest_link_of_bricks(bricks, *placement, catch_up_words(request, rates));
    links.a = share_of_link(operands, link.operands);
    links.c = share_of_link(sums, link.sums);
  }
  candidate.bricks = std::move(bricks);
  price(candidate,
        {.work = busiest.work,
         .a_words = operands,
         .c_words = sums,
         .messages = busiest.messages,
         .memory = memory,
         .rounds = static_cast<double>(rounds),
         .result = formula.result},
        links, request, rates);
  return candidate;
}

/// At most a tenth of the ranks stays outside.
bool uses_enough(const PlanRequest& request, std::int64_t ranks) {
  return ranks <= request.ranks && ranks >= request.ranks - request.ranks / 10;
}

/// Whether a grid has room for neither another row nor another column and leaves few ranks outside.
/// There are only some 2·√p such grids per number of layers, many thousand others of many ranks.
bool is_worth_a_price(const PlanRequest& request, int rows, int columns, int layers) {
  const std::int64_t ranks = request.ranks;
  const auto size = [&](std::int64_t P, std::int64_t Q) { return P * Q * layers; };
  return size(rows + 1, columns) > ranks && size(rows, columns + 1) > ranks &&
         uses_enough(request, size(rows, columns));
}

/// The P×Q grids that leave few ranks outside, laid on the machine.
std::vector<LaidGrid> grids_for(const PlanRequest& request) {
  if (const auto& given = request.grid) {
    const bool numbered = given->is_listed() || given->order() != GridOrder::row_major;
    if (numbered) return {LaidGrid(*given)};
    return {LaidGrid(given->rows(), given->columns(), request.placement)};
  }
  std::vector<LaidGrid> grids;
  for (int rows = 1; rows <= request.ranks; ++rows) {
    const int columns = request.ranks / rows;
    if (is_worth_a_price(request, rows, columns, 1)) {
      grids.emplace_back(rows, columns, request.placement);
    }
  }
  // C's own, on which it need not move, may be numbered otherwise.
  if (request.stored && uses_enough(request, request.stored->C.grid().size())) {
    grids.emplace_back(request.stored->C.grid());
  }
  return grids;
}

/// All of them, and the largest square, whose blocks rotate in fewest steps.
std::vector<LaidGrid> grids_to_rotate_on(const PlanRequest& request) {
  std::vector<LaidGrid> grids = grids_for(request);
  if (request.grid) return grids;
  const int side = static_cast<int>(std::sqrt(static_cast<double>(request.ranks)) + 1e-9);
  if (!uses_enough(request, std::int64_t{side} * side)) {
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
        for (const LaidGrid& grid : grids_for(request_)) {
          add(summa_on(grid, {}, request_, rates_));
        }
        break;
      case hsumma:
        for (const LaidGrid& grid : grids_for(request_)) offer_groups(grid);
        break;
      case srumma:
        for (const LaidGrid& grid : grids_for(request_)) add(srumma_on(grid, request_, rates_));
        break;
      case cannon:
        for (const LaidGrid& grid : grids_to_rotate_on(request_)) {
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
  void offer_groups(const LaidGrid& grid) {
    constexpr double worth_it = 0.98;
    const GroupChoice& choice = request_.groups;
    const bool fixed = choice.shape || choice.count;
    const double of_summa = summa_on(grid, {}, request_, rates_).seconds;
    for (const GroupShape& groups : group_shapes(grid.shape)) {
      if (choice.shape && *choice.shape != groups) continue;
      if (choice.count && *choice.count != groups.size()) continue;
      if (choice.sample && groups.size() > 1) continue;
      PlanCandidate candidate = summa_on(grid, groups, request_, rates_);
      if (!fixed && groups.size() > 1 && candidate.seconds > worth_it * of_summa) continue;
      candidate.algorithm = MultiplicationAlgorithm::hsumma;
      candidate.sample_groups = choice.sample;
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
        LaidGrid grid(shape.rows(), shape.columns(), placement);
        grid.shape = shape;
        add(rotating_on(sd_cannon, grid, folded.turns, request_, rates_));
      }
    }
    for (const LaidGrid& grid : grids_to_rotate_on(request_)) {
      add(rotating_on(sd_cannon, grid, FoldedGrid::plain(grid.shape).turns, request_, rates_));
    }
  }

  /// c layers of every grid that leaves few ranks outside, from 2-D to 3-D unless c is given.
  void offer_layers() {
    const int ranks = request_.ranks;
    const auto offer = [&](int rows, int columns, int layers) {
      const LaidLayers grid(rows, columns, layers, request_.placement);
      for (const InsideLayers inside :
           {InsideLayers::summa, InsideLayers::cannon, InsideLayers::slabs}) {
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

  /// The grid of the fewest words with the rounds that suit it; where memory is short, the one that
  /// fits; where nothing does, what it would take.
  void offer_cosma() {
    CosmaLimits limits{
        .memory = request_.memory, .grid = request_.bricks, .rounds = request_.rounds};
    const auto decomposed = [&] {
      try {
        return decompose_for_cosma(request_.size, request_.ranks, limits);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        limits.memory.reset();
        return decompose_for_cosma(request_.size, request_.ranks, limits);
      }
    }();
    add(in_bricks(MultiplicationAlgorithm::cosma, decomposed.grid, decomposed.rounds, request_,
                  rates_));
    // Where nothing is hidden, rounds only cost messages and narrow panels.
    if (rates_.overlap || limits.rounds || decomposed.rounds == 1) return;
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
  if (request.grid && request.grid->size() > request.ranks) {
    reject(fmt::format("a {} grid needs {} ranks, there are {}: give a smaller grid or more ranks",
                       to_string(*request.grid), request.grid->size(), request.ranks));
  }
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
                fmt::format("planner: no algorithm for {} x {} x {} on {} ranks with this grid: "
                            "give another grid, or none",
                            m, n, k, request.ranks));
  }
  const PlanCandidate& first = candidates.front();
  if (!first.fits) {
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("planner: {} x {} x {} on {} ranks does not fit into {} words per rank: "
                    "allow {:.0f} words ({} bytes each), or use more ranks",
                    m, n, k, request.ranks, *request.memory, first.memory, request.element_bytes));
  }
  return first;
}

double lower_bound_words(const PlanRequest& request) {
  std::optional<double> memory;
  if (request.memory) memory = static_cast<double>(*request.memory);
  return least_received(extents_of(request.size), request.ranks, memory);
}

std::string describe_grid(const PlanCandidate& candidate) {
  std::string text;
  if (const auto& bricks = candidate.bricks) {
    text = fmt::format("{}x{}x{}", bricks->parts(WorkAxis::rows), bricks->parts(WorkAxis::columns),
                       bricks->parts(WorkAxis::inner));
  } else {
    text = to_string(candidate.grid);
    if (candidate.layered) text += fmt::format("x{}", candidate.layered->layers());
    if (candidate.algorithm == MultiplicationAlgorithm::hsumma) {
      text += candidate.sample_groups ? ", groups by trying"
                                      : fmt::format(", {} groups", to_string(candidate.groups));
    }
  }
  const bool in_slabs = candidate.layered && candidate.inside == InsideLayers::slabs;
  if (candidate.rounds > 1)
    text += fmt::format(" in {} {}", candidate.rounds, in_slabs ? "slabs" : "rounds");
  return text;
}

std::string explain(const std::vector<PlanCandidate>& candidates, const PlanRequest& request) {
  std::string text =
      fmt::format("  {:<10} {:<38} {:>10} {:>10} {:>10} {:>12} {:>9} {:>12}\n", "algorithm", "grid",
                  "seconds", "compute", "exchange", "words", "messages", "memory");
  const char* mark = "*";
  for (const PlanCandidate& candidate : candidates) {
    text += fmt::format(
        "{} {:<10} {:<38} {:>10.4g} {:>10.4g} {:>10.4g} {:>12.0f} {:>9.0f} {:>12.0f}{}\n", mark,
        to_string(candidate.algorithm), describe_grid(candidate), candidate.seconds,
        candidate.compute_seconds, candidate.communicate_seconds, candidate.words,
        candidate.messages, candidate.memory, candidate.fits ? "" : "  does not fit");
    mark = " ";
  }
  text += fmt::format("  {:<46} {:>35.0f}\n", "the least words that any algorithm can do with",
                      lower_bound_words(request));
  if (candidates.empty()) return text;
  const PlanCandidate& winner = candidates.front();
  const auto other = std::find_if(candidates.begin(), candidates.end(), [&](const auto& candidate) {
    return candidate.algorithm != winner.algorithm && candidate.fits;
  });
  text += fmt::format("{} {}: ", to_string(winner.algorithm), describe_grid(winner));
  if (!winner.fits) return text + "needs the least memory, but more than there is\n";
  if (other == candidates.end()) return text + "the only one that fits\n";
  const double hidden = winner.compute_seconds + winner.communicate_seconds - winner.seconds;
  const double sooner = 1 - winner.seconds / std::max(other->seconds, 1e-300);
  if (sooner > 0) {
    text += fmt::format("done {:.2g}% sooner than ", 100 * sooner);
  } else {
    text += fmt::format("done as soon{}, in {:.0f}% of the memory, as ",
                        sooner < 0 ? fmt::format(" but for {:.2g}%", -100 * sooner) : "",
                        100 * winner.memory / other->memory);
  }
  text += fmt::format(
      "{} {}, which takes {:.0f} words and {:.0f} messages where it takes {:.0f} and {:.0f}; "
      "{:.0f}% of its exchange is hidden under the gemm\n",
      to_string(other->algorithm), describe_grid(*other), other->words, other->messages,
      winner.words, winner.messages,
      winner.communicate_seconds > 0 ? 100 * hidden / winner.communicate_seconds : 100.0);
  return text;
}

}  // namespace cuboid
