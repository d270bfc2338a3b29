#include <cuboid/base/error.hpp>
#include <cuboid/mm/carma_decomposition.hpp>
#include <cuboid/mm/cosma_decomposition.hpp>
#include <cuboid/mm/hsumma.hpp>
#include <cuboid/mm/laid_grid.hpp>
#include <cuboid/mm/planner.hpp>
#include <cuboid/mm/sd_cannon.hpp>
#include <cuboid/mm/srumma_multiplication.hpp>
#include <cuboid/mm/summa.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

namespace {

double part(std::int64_t extent, int parts) {
  return std::ceil(static_cast<double>(extent) / parts);
}

/// What a rank lacks of `extent` indices when it owns the smallest of `parts` shares.
double lacking(double extent, int parts) {
  return extent - std::floor(extent / parts);
}

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

/// Words that the busiest rank receives, by what they are of.
struct Received {
  double a = 0;
  double b = 0;
  double c = 0;
};

/// Words over one link that take as long. Where lines are known to be the machine's, A's and B's
/// come over different links at once.
struct OverOneLink {
  double operands = 0;
  double sums = 0;

  static OverOneLink serially(const Received& words) { return {words.a + words.b, words.c}; }
  static OverOneLink along_lines(const Received& words, double a_links, double b_links,
                                 double c_links) {
    return {std::max(words.a / a_links, words.b / b_links), words.c / c_links};
  }
};

/// Seconds from work, words, messages and rounds. Nothing hides the sums of C.
void price(PlanCandidate& candidate, const OverOneLink& words, const PlanRequest& request,
           const Rates& rates) {
  const double moved = words_to_redistribute(candidate, request);
  const double bytes_per_word = static_cast<double>(request.element_bytes);
  candidate.compute_seconds = candidate.work / rates.multiplications_per_second;
  const double bandwidth = rates.network.beta * bytes_per_word * (words.operands + words.sums);
  candidate.communicate_seconds = rates.network.alpha * candidate.messages + bandwidth;
  const double all_words = words.operands + words.sums;
  const double sums = all_words > 0 ? candidate.communicate_seconds * words.sums / all_words : 0;
  const double operands = candidate.communicate_seconds - sums;
  const double compute = candidate.compute_seconds;
  const double rounds = candidate.rounds;
  const double first_and_last = (operands + compute) / rounds;
  const double between =
      (rates.overlap ? std::max(operands, compute) : operands + compute) * (rounds - 1) / rounds;
  candidate.seconds = first_and_last + between + sums;
  if (moved > 0) {
    // Packed, sent, unpacked; by every rank to every other.
    const double seconds =
        rates.network.alpha * (request.ranks - 1) + rates.network.beta * bytes_per_word * 3 * moved;
    candidate.words += moved;
    candidate.memory += moved;
    candidate.communicate_seconds += seconds;
    candidate.seconds += seconds;
  }
  candidate.fits = !request.memory || candidate.memory <= static_cast<double>(*request.memory);
}

int steps_of(std::int64_t extent, std::int64_t width) {
  const std::int64_t steps = extent / width + (extent % width != 0 ? 1 : 0);
  return static_cast<int>(std::clamp<std::int64_t>(steps, 1, std::numeric_limits<int>::max()));
}

/// A rank's shares of the matrices on a P×Q grid.
double shares(const ProductSize& size, int rows, int columns) {
  return part(size.m, rows) * part(size.k, columns) + part(size.k, rows) * part(size.n, columns) +
         part(size.m, rows) * part(size.n, columns);
}

/// SUMMA's, HSUMMA's and SRUMMA's words on a P×Q grid: every rank sees its rows of A and its
/// columns of B.
Received seen_on_grid(const ProductSize& size, int P, int Q) {
  const auto inner = static_cast<double>(size.k);
  return {part(size.m, P) * lacking(inner, Q), part(size.n, Q) * lacking(inner, P)};
}

OverOneLink spread_over(const LaidGrid& grid, const Received& words) {
  if (!grid.rows || !grid.columns) return OverOneLink::serially(words);
  return OverOneLink::along_lines(words, grid.rows->spread, grid.columns->spread, 1);
}

/// Narrower where messages travel while ranks multiply: nothing hides the first panel.
std::int64_t panel_width(const PlanRequest& request, const Rates& rates) {
  return request.panel_width.value_or(rates.overlap ? default_panel_width / 2
                                                    : default_panel_width);
}

PanelOrder panel_order(const Rates& rates) {
  return rates.overlap ? PanelOrder::all_owners : PanelOrder::in_turn;
}

/// Messages of a panel to a line of ranks, one after the other until the last rank has it: a
/// binomial tree's (003 §IV).
double steps_along(int ranks) {
  return std::ceil(std::log2(static_cast<double>(ranks)));
}

PlanCandidate srumma_on(const LaidGrid& grid, const PlanRequest& request, const Rates& rates) {
  const auto& [m, n, k] = request.size;
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::srumma, .grid = grid.shape};
  const Received words = seen_on_grid(request.size, P, Q);
  candidate.work = part(m, P) * part(n, Q) * static_cast<double>(k);
  candidate.words = words.a + words.b;
  // One get per task and operand of another rank. What others read is a copy; two tasks' blocks are
  // buffered.
  candidate.rounds = std::max({P, Q, steps_of(k, widest_srumma_task)});
  candidate.messages = candidate.rounds * (2 - 1.0 / P - 1.0 / Q);
  const double shown =
      (Q > 1 ? part(m, P) * part(k, Q) : 0) + (P > 1 ? part(k, P) * part(n, Q) : 0);
  candidate.memory =
      shares(request.size, P, Q) + shown +
      2 * (part(m, P) + part(n, Q)) * std::ceil(static_cast<double>(k) / candidate.rounds);
  // Gets go straight to their owners, over as many links as it takes.
  price(candidate, OverOneLink::serially(words), request, rates);
  return candidate;
}

/// SUMMA, and HSUMMA with groups (003 §IV-B).
PlanCandidate summa_on(const LaidGrid& grid, const GroupShape& groups, const PlanRequest& request,
                       const Rates& rates) {
  const auto& [m, n, k] = request.size;
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  const bool grouped = groups.size() > 1;
  const auto inner = static_cast<double>(k);
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::summa, .grid = grid.shape};
  candidate.groups = groups;
  candidate.panel_width = panel_width(request, rates);
  candidate.outer_width =
      std::max(request.outer_width.value_or(4 * candidate.panel_width), candidate.panel_width);
  candidate.order = panel_order(rates);
  const Received words = seen_on_grid(request.size, P, Q);
  candidate.work = part(m, P) * part(n, Q) * inner;
  candidate.words = words.a + words.b;
  candidate.rounds = steps_of(k, candidate.panel_width);
  const int outers = steps_of(k, candidate.outer_width);
  candidate.messages =
      outers * (steps_along(groups.rows) + steps_along(groups.columns)) +
      candidate.rounds * (steps_along(P / groups.rows) + steps_along(Q / groups.columns));
  const double buffered = std::min(
      inner, static_cast<double>(candidate.panel_width + (grouped ? candidate.outer_width : 0)));
  const int panels = candidate.order == PanelOrder::all_owners && !grouped ? 3 : 2;
  candidate.memory = shares(request.size, P, Q) + panels * (part(m, P) + part(n, Q)) * buffered;
  // Between groups data cross all ranks on their way, as many as a group has along the line.
  Received crossing = words;
  if (grouped) {
    const auto crossed = [](int line, int of_groups) {
      const int inside = line / of_groups;
      return (of_groups > 1 ? inside : 0) * (of_groups - 1.0) / line + (inside - 1.0) / inside;
    };
    if (Q > 1) crossing.a *= std::max(1.0, crossed(Q, groups.columns) / (1 - 1.0 / Q));
    if (P > 1) crossing.b *= std::max(1.0, crossed(P, groups.rows) / (1 - 1.0 / P));
  }
  price(candidate, spread_over(grid, grid.rows ? crossing : words), request, rates);
  return candidate;
}

/// Cannon's and SD-Cannon's: A's blocks, as many as the longer period of rows and columns has,
/// shift along rows, B's along columns, the first time into place.
PlanCandidate rotating_on(MultiplicationAlgorithm algorithm, const LaidGrid& grid,
                          std::vector<Turn> turns, const PlanRequest& request, const Rates& rates) {
  const auto& [m, n, k] = request.size;
  const int P = grid.shape.rows(), Q = grid.shape.columns();
  PlanCandidate candidate{.algorithm = algorithm, .grid = grid.shape};
  candidate.turns = std::move(turns);
  candidate.rounds = std::lcm(P, Q);
  const Received words{Q > 1 ? part(m, P) * part(k, Q) * Q : 0,
                       P > 1 ? part(k, P) * part(n, Q) * P : 0};
  candidate.work = part(m, P) * part(n, Q) * static_cast<double>(k);
  candidate.words = words.a + words.b;
  candidate.messages = ((P > 1 ? 1 : 0) + (Q > 1 ? 1 : 0)) * candidate.rounds;
  candidate.memory = shares(request.size, P, Q) + 2 * ((Q > 1 ? part(m, P) * part(k, Q) : 0) +
                                                       (P > 1 ? part(k, P) * part(n, Q) : 0));
  const bool split = algorithm == MultiplicationAlgorithm::sd_cannon;
  if (split)
    candidate.messages *=
        2.0 * static_cast<double>(std::max<std::size_t>(candidate.turns.size(), 1));
  OverOneLink way = OverOneLink::serially(words);
  if (grid.rows && grid.columns) {
    // Into place a block crosses up to half of its line.
    const auto shifted = [](double of, int line) {
      return line > 1 ? of * (line - 1 + std::ceil(line / 2.0)) / line : 0;
    };
    const auto links = [&](const LineRate& line) { return split ? line.spread : line.shift; };
    way = OverOneLink::along_lines({shifted(words.a, Q), shifted(words.b, P)}, links(*grid.rows),
                                   links(*grid.columns), 1);
  }
  price(candidate, way, request, rates);
  return candidate;
}

/// 2.5D on P×Q×c: each layer multiplies 1/c of the inner dimension, C is summed.
PlanCandidate in_layers(const LaidLayers& grid, InsideLayers inside, const PlanRequest& request,
                        const Rates& rates) {
  const auto& [m, n, k] = request.size;
  const int P = grid.shape.rows(), Q = grid.shape.columns(), c = grid.shape.layers();
  const bool shifts = inside == InsideLayers::cannon;
  PlanCandidate candidate{.algorithm = MultiplicationAlgorithm::two_and_a_half_d,
                          .grid = GridShape(P, Q)};
  candidate.layered = grid.shape;
  candidate.inside = inside;
  candidate.panel_width = panel_width(request, rates);
  candidate.order = panel_order(rates);
  const double layer = part(k, c);
  const double c_part = part(m, P) * part(n, Q);
  Received words{part(m, P) * lacking(layer, Q), part(n, Q) * lacking(layer, P),
                 c > 1 ? lacking(c_part, c) : 0};
  if (shifts) {
    words.a = Q > 1 ? part(m, P) * layer : 0;
    words.b = P > 1 ? part(n, Q) * layer : 0;
  }
  candidate.rounds =
      shifts ? std::lcm(P, Q) : steps_of(static_cast<std::int64_t>(layer), candidate.panel_width);
  candidate.work = c_part * layer;
  candidate.words = words.a + words.b + words.c;
  candidate.messages = candidate.rounds * (shifts ? (P > 1 ? 1 : 0) + (Q > 1 ? 1 : 0)
                                                  : steps_along(P) + steps_along(Q)) +
                       (c > 1 ? c - 1 : 0);
  const double operands = (part(m, P) * part(static_cast<std::int64_t>(layer), Q) +
                           part(static_cast<std::int64_t>(layer), P) * part(n, Q));
  const double panels =
      shifts ? 2 * operands
             : 2 * (part(m, P) + part(n, Q)) *
                   std::min<double>(layer, static_cast<double>(candidate.panel_width));
  candidate.memory =
      operands + panels + std::ceil(c_part / c) + (c > 1 ? c_part + std::ceil(c_part / c) : 0);
  OverOneLink way = OverOneLink::serially(words);
  if (grid.rows && grid.columns && grid.layers) {
    const auto links = [&](const LineRate& line) { return shifts ? line.shift : line.spread; };
    way = OverOneLink::along_lines(words, links(*grid.rows), links(*grid.columns),
                                   grid.layers->spread);
  }
  price(candidate, way, request, rates);
  return candidate;
}

PlanCandidate in_bricks(MultiplicationAlgorithm algorithm, BrickGrid bricks, int rounds,
                        const PlanRequest& request, const Rates& rates) {
  const BrickCost cost = bricks.busiest(rounds);
  PlanCandidate candidate{.algorithm = algorithm, .rounds = rounds, .sides = request.sides};
  candidate.work = cost.work;
  candidate.words = cost.words_received;
  candidate.messages = cost.messages;
  candidate.memory = brick_memory(bricks, rounds);
  const int layers = bricks.parts(WorkAxis::inner);
  const double sums = part(request.size.m, bricks.parts(WorkAxis::rows)) *
                      lacking(part(request.size.n, bricks.parts(WorkAxis::columns)), layers);
  candidate.bricks = std::move(bricks);
  const double summed = std::min(sums, candidate.words);
  price(candidate, {candidate.words - summed, summed}, request, rates);
  return candidate;
}

/// At most a tenth of the ranks stays outside.
bool uses_enough(const PlanRequest& request, std::int64_t ranks) {
  return ranks <= request.ranks && ranks >= request.ranks - request.ranks / 10;
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
    if (uses_enough(request, std::int64_t{rows} * columns)) {
      grids.emplace_back(rows, columns, request.placement);
    }
  }
  // C's own, on which it need not move, may be numbered otherwise.
  if (request.stored && uses_enough(request, request.stored->C.grid().size())) {
    grids.emplace_back(request.stored->C.grid());
  }
  return grids;
}

/// Those of them whose blocks rotate in few steps, and the largest square.
std::vector<LaidGrid> grids_to_rotate_on(const PlanRequest& request) {
  std::vector<LaidGrid> grids = grids_for(request);
  if (request.grid) return grids;
  std::erase_if(grids, [&](const LaidGrid& grid) {
    const int P = grid.shape.rows(), Q = grid.shape.columns();
    return std::lcm(P, Q) > std::max({P, Q, 4 * static_cast<int>(std::sqrt(request.ranks))});
  });
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

  void offer_groups(const LaidGrid& grid) {
    const GroupChoice& choice = request_.groups;
    for (const GroupShape& groups : group_shapes(grid.shape)) {
      if (choice.shape && *choice.shape != groups) continue;
      if (choice.count && *choice.count != groups.size()) continue;
      if (choice.sample && groups.size() > 1) continue;
      PlanCandidate candidate = summa_on(grid, groups, request_, rates_);
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
      for (const InsideLayers inside : {InsideLayers::summa, InsideLayers::cannon}) {
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
        if (uses_enough(request_, std::int64_t{rows} * columns * c)) offer(rows, columns, c);
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
  std::array<double, 3> extents{static_cast<double>(request.size.m),
                                static_cast<double>(request.size.n),
                                static_cast<double>(request.size.k)};
  std::sort(extents.begin(), extents.end(), std::greater<>());
  const auto [d1, d2, d3] = extents;
  if (d3 == 0) return 0;
  const double p = request.ranks;
  const double work = d1 * d2 * d3 / p;
  const double owned = (d1 * d2 + d1 * d3 + d2 * d3) / p;
  double words = 0;
  if (p <= d1 / d2) {
    words = (1 - 1 / p) * d2 * d3;
  } else if (p <= d1 * d2 / (d3 * d3)) {
    words = 2 * std::sqrt(d3 * work) - (d1 + d2) * d3 / p;
  } else {
    words = 3 * std::pow(work, 2.0 / 3) - owned;
  }
  if (request.memory) {
    const auto memory = static_cast<double>(*request.memory);
    if (memory > 0 && memory < std::pow(work, 2.0 / 3)) {
      words = std::max(words, 2 * work / std::sqrt(memory) + memory - owned);
    }
  }
  return std::max(words, 0.0);
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
  if (candidate.rounds > 1) text += fmt::format(" in {} rounds", candidate.rounds);
  return text;
}

std::string explain(const std::vector<PlanCandidate>& candidates, const PlanRequest& request) {
  std::string text =
      fmt::format("  {:<10} {:<24} {:>10} {:>10} {:>10} {:>12} {:>9} {:>12}\n", "algorithm", "grid",
                  "seconds", "compute", "exchange", "words", "messages", "memory");
  const char* mark = "*";
  for (const PlanCandidate& candidate : candidates) {
    text += fmt::format(
        "{} {:<10} {:<24} {:>10.4g} {:>10.4g} {:>10.4g} {:>12.0f} {:>9.0f} {:>12.0f}{}\n", mark,
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
  text += sooner > 0 ? fmt::format("done {:.2g}% sooner than ", 100 * sooner)
                     : fmt::format("done as soon but for {:.2g}%, in {:.0f}% of the memory, as ",
                                   -100 * sooner, 100 * winner.memory / other->memory);
  text += fmt::format(
      "{} {}, which takes {:.0f} words and {:.0f} messages where it takes {:.0f} and {:.0f}; "
      "{:.0f}% of its exchange is hidden under the gemm\n",
      to_string(other->algorithm), describe_grid(*other), other->words, other->messages,
      winner.words, winner.messages,
      winner.communicate_seconds > 0 ? 100 * hidden / winner.communicate_seconds : 100.0);
  return text;
}

}  // namespace cuboid
