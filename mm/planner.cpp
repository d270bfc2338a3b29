#include <cuboid/base/error.hpp>
#include <cuboid/mm/carma_decomposition.hpp>
#include <cuboid/mm/cosma_decomposition.hpp>
#include <cuboid/mm/planner.hpp>
#include <cuboid/mm/srumma_multiplication.hpp>
#include <cuboid/mm/summa.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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
  if (const auto& bricks = candidate.bricks) {
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

/// Seconds from work, words, messages and rounds; `sum_words` of the words are sums of C, which
/// nothing hides.
void price(PlanCandidate& candidate, double sum_words, const PlanRequest& request,
           const Rates& rates) {
  const double moved = words_to_redistribute(candidate, request);
  const double bytes_per_word = static_cast<double>(request.element_bytes);
  candidate.compute_seconds = candidate.work / rates.multiplications_per_second;
  candidate.communicate_seconds = rates.network.alpha * candidate.messages +
                                  rates.network.beta * bytes_per_word * candidate.words;
  const double sums =
      candidate.words > 0 ? candidate.communicate_seconds * sum_words / candidate.words : 0;
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

/// SUMMA, HSUMMA and SRUMMA on a P×Q grid: every rank sees its rows of A and its columns of B.
PlanCandidate on_grid(MultiplicationAlgorithm algorithm, const GridShape& grid,
                      const PlanRequest& request, const Rates& rates) {
  const auto& [m, n, k] = request.size;
  const int P = grid.rows(), Q = grid.columns();
  const auto inner = static_cast<double>(k);
  PlanCandidate candidate{.algorithm = algorithm, .grid = grid};
  candidate.work = part(m, P) * part(n, Q) * inner;
  candidate.words = part(m, P) * lacking(inner, Q) + part(n, Q) * lacking(inner, P);
  const double panel_words = part(m, P) + part(n, Q);
  if (algorithm == MultiplicationAlgorithm::srumma) {
    // One get per task and operand of another rank. What others read is a copy; two tasks' blocks
    // are buffered.
    candidate.rounds = std::max({P, Q, steps_of(k, widest_srumma_task)});
    candidate.messages = candidate.rounds * (2 - 1.0 / P - 1.0 / Q);
    const double shown =
        (Q > 1 ? part(m, P) * part(k, Q) : 0) + (P > 1 ? part(k, P) * part(n, Q) : 0);
    candidate.memory =
        shares(request.size, P, Q) + shown + 2 * panel_words * std::ceil(inner / candidate.rounds);
  } else {
    candidate.panel_width = request.panel_width.value_or(default_panel_width);
    candidate.rounds = steps_of(k, candidate.panel_width);
    const int lines = (P > 1 ? 1 : 0) + (Q > 1 ? 1 : 0);
    candidate.messages = static_cast<double>(candidate.rounds) * lines;
    candidate.memory =
        shares(request.size, P, Q) +
        2 * panel_words * std::min(inner, static_cast<double>(candidate.panel_width));
  }
  price(candidate, 0, request, rates);
  return candidate;
}

/// Cannon's and SD-Cannon's q×q: all blocks shift q times, the first time into place.
PlanCandidate on_square(MultiplicationAlgorithm algorithm, int q, const PlanRequest& request,
                        const Rates& rates) {
  const auto& [m, n, k] = request.size;
  PlanCandidate candidate{.algorithm = algorithm, .grid = GridShape(q, q), .rounds = q};
  const double blocks = part(m, q) * part(k, q) + part(k, q) * part(n, q);
  candidate.work = part(m, q) * part(n, q) * part(k, q) * q;
  candidate.words = q > 1 ? blocks * q : 0;
  candidate.messages = q > 1 ? 2.0 * q : 0;
  candidate.memory = shares(request.size, q, q) + (q > 1 ? 2 * blocks : 0);
  price(candidate, 0, request, rates);
  return candidate;
}

/// 2.5D on q×q×c (004 §3): A and B are replicated to all layers, each multiplies 1/c of the inner
/// dimension, C is summed.
PlanCandidate in_layers(int q, int c, const PlanRequest& request, const Rates& rates) {
  const auto& [m, n, k] = request.size;
  PlanCandidate candidate{
      .algorithm = MultiplicationAlgorithm::two_and_a_half_d, .grid = GridShape(q, q), .layers = c};
  const double layer = part(k, c);
  const double blocks = part(m, q) * part(k, q) + part(k, q) * part(n, q);
  const double sums = c > 1 ? part(m, q) * part(n, q) : 0;
  candidate.rounds = steps_of(static_cast<std::int64_t>(layer), default_panel_width);
  candidate.work = part(m, q) * part(n, q) * layer;
  candidate.words = (c > 1 ? blocks : 0) + (part(m, q) + part(n, q)) * lacking(layer, q) + sums;
  candidate.messages = (q > 1 ? 2.0 * candidate.rounds : 0) + (c > 1 ? 3 : 0);
  candidate.memory = shares(request.size, q, q) +
                     2 * (part(m, q) + part(n, q)) * std::min<double>(layer, default_panel_width);
  price(candidate, sums, request, rates);
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
  price(candidate, std::min(sums, candidate.words), request, rates);
  return candidate;
}

/// The P×Q grids that leave at most a tenth of the ranks outside.
std::vector<GridShape> grids_for(const PlanRequest& request) {
  if (request.grid) return {*request.grid};
  std::vector<GridShape> grids;
  for (int rows = 1; rows <= request.ranks; ++rows) {
    const GridShape grid(rows, request.ranks / rows);
    if (grid.size() >= request.ranks - request.ranks / 10) grids.push_back(grid);
  }
  // C's own, on which it need not move, may be numbered otherwise.
  if (request.stored && request.stored->C.grid().size() >= request.ranks - request.ranks / 10) {
    grids.push_back(request.stored->C.grid());
  }
  return grids;
}

std::vector<int> square_sides(const PlanRequest& request) {
  if (request.grid) {
    if (request.grid->rows() != request.grid->columns()) return {};
    return {request.grid->rows()};
  }
  return {static_cast<int>(std::sqrt(static_cast<double>(request.ranks)) + 1e-9)};
}

class Planning {
 public:
  Planning(const PlanRequest& request, const Rates& rates) : request_(request), rates_(rates) {}

  void offer(MultiplicationAlgorithm algorithm) {
    using enum MultiplicationAlgorithm;
    switch (algorithm) {
      case summa:
      case hsumma:
      case srumma:
        for (const GridShape& grid : grids_for(request_)) {
          add(on_grid(algorithm, grid, request_, rates_));
        }
        break;
      case cannon:
      case sd_cannon:
        for (const int q : square_sides(request_)) {
          add(on_square(algorithm, q, request_, rates_));
        }
        break;
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
    return std::move(candidates_);
  }

 private:
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

  void offer_layers() {
    for (int c = 1; std::int64_t{c} * c * c <= request_.ranks; ++c) {
      const int q = static_cast<int>(std::sqrt(static_cast<double>(request_.ranks) / c) + 1e-9);
      if (request_.grid && (request_.grid->rows() != q || request_.grid->columns() != q)) continue;
      if (std::int64_t{q} * q * c < request_.ranks - request_.ranks / 10) continue;
      add(in_layers(q, c, request_, rates_));
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
    if (candidate.layers > 1) text += fmt::format("x{}", candidate.layers);
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
  text += fmt::format(
      "done {:.2g}% sooner than {} {}, which takes {:.0f} words and {:.0f} messages where it takes "
      "{:.0f} and {:.0f}; {:.0f}% of its exchange is hidden under the gemm\n",
      100 * (1 - winner.seconds / std::max(other->seconds, 1e-300)), to_string(other->algorithm),
      describe_grid(*other), other->words, other->messages, winner.words, winner.messages,
      winner.communicate_seconds > 0 ? 100 * hidden / winner.communicate_seconds : 100.0);
  return text;
}

}  // namespace cuboid
