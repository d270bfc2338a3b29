#include "mm/decompositions/cosma_decomposition.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// Inner indices per round from which a wider panel makes the local gemm no faster (measured with
/// BLIS on AVX-512), and the most rounds that overlap asks for: with more, what the first one
/// leaves uncovered hardly shrinks.
constexpr std::int64_t wide_enough = 256;
constexpr std::int64_t rounds_for_overlap = 8;

using Parts = std::array<int, 3>;

double ceiling(std::int64_t extent, int parts) {
  return static_cast<double>(extent / parts + (extent % parts != 0 ? 1 : 0));
}

/// The largest brick of a grid, as numbers.
struct LargestBrick {
  LargestBrick(const ProductSize& size, const Parts& parts)
      : rows(ceiling(size.m, parts[0])),
        columns(ceiling(size.n, parts[1])),
        inner(ceiling(size.k, parts[2])) {}

  double work() const { return rows * columns * inner; }

  double rows, columns, inner;
};

/// Words of A, B and C that a rank with the largest brick receives: each face less the share that
/// it owns, in whole columns.
std::array<double, 3> face_words(const LargestBrick& brick, double own_inner, double own_b_columns,
                                 double own_c_columns) {
  return {brick.rows * (brick.inner - own_inner), brick.inner * (brick.columns - own_b_columns),
          brick.rows * (brick.columns - own_c_columns)};
}

/// The upper bound: it may own the smallest shares.
std::array<double, 3> most_words(const LargestBrick& brick, const Parts& parts) {
  return face_words(brick, std::floor(brick.inner / parts[1]), std::floor(brick.columns / parts[0]),
                    std::floor(brick.columns / parts[2]));
}

/// The lower bound: no rank's shares are larger. Sums of C come in pieces that differ by an
/// element.
double least_words(const LargestBrick& brick, const Parts& parts) {
  const auto of =
      face_words(brick, std::ceil(brick.inner / parts[1]), std::ceil(brick.columns / parts[0]),
                 std::ceil(brick.columns / parts[2]));
  return of[0] + of[1] + of[2] - parts[2];
}

double memory_of(const LargestBrick& brick, const Parts& parts, std::int64_t rounds) {
  const double a = brick.rows * brick.inner;
  const double b = brick.inner * brick.columns;
  const double c = brick.rows * brick.columns;
  const double share = a / parts[1] + b / parts[0] + c / parts[2];
  const double copies = rounds > 1 ? 2 : 1;
  const double width = std::ceil(brick.inner / static_cast<double>(rounds));
  double on_the_way = 0;
  if (parts[1] > 1) on_the_way += copies * brick.rows * width;
  // B's panel is put together from A's shares: in place only where these are one range.
  if (parts[0] > 1 || (parts[1] > 1 && rounds > 1)) on_the_way += copies * width * brick.columns;
  // The brick's own C, and what comes to be added to the rank's part of it.
  if (parts[2] > 1) on_the_way += c + c * (1 - 1.0 / parts[2]);
  return share + on_the_way;
}

std::vector<int> divisors(int number) {
  std::vector<int> result;
  for (int low = 1; std::int64_t{low} * low <= number; ++low) {
    if (number % low != 0) continue;
    result.push_back(low);
    if (low != number / low) result.push_back(number / low);
  }
  return result;
}

/// Calls visit(parts) for every grid that keeps enough of the ranks busy.
template <class Visit>
void for_each_grid(int ranks, const CosmaLimits& limits, const Visit& visit) {
  if (limits.grid) {
    visit(*limits.grid);
    return;
  }
  // Among so many rank counts at least one has good grids, and trying as many takes little time.
  constexpr int most_idle = 1024;
  const int fewest = std::max(static_cast<int>(std::ceil(ranks * (1 - limits.idle_share) - 1e-9)),
                              ranks - most_idle);
  for (int used = ranks; used >= std::max(fewest, 1); --used) {
    for (const int rows : divisors(used)) {
      for (const int columns : divisors(used / rows)) {
        visit(Parts{rows, columns, used / rows / columns});
      }
    }
  }
}

/// The rounds that suit overlap; 1 if nothing arrives.
std::int64_t rounds_to_overlap(const LargestBrick& brick, const Parts& parts) {
  if (parts[0] == 1 && parts[1] == 1) return 1;
  const auto inner = static_cast<std::int64_t>(brick.inner);
  return std::clamp<std::int64_t>(inner / wide_enough, 1, rounds_for_overlap);
}

/// At most one outer product per share and round.
std::int64_t most_rounds(const LargestBrick& brick, const Parts& parts) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(brick.inner) / parts[1], 1);
}

/// The number of rounds that overlap or memory requires: at least that of the paper's formula,
/// which counts one panel of each operand, then up to that for two of each.
std::int64_t rounds_that_fit(const LargestBrick& brick, const Parts& parts, double memory) {
  const double a_and_b = brick.inner * (brick.rows / parts[1] + brick.columns / parts[0]);
  const LocalDomain domain{std::sqrt(brick.rows * brick.columns), brick.inner};
  const std::int64_t most = most_rounds(brick, parts);
  std::int64_t rounds = std::max(rounds_to_overlap(brick, parts),
                                 std::min(fewest_rounds(domain, memory - a_and_b), most));
  while (memory_of(brick, parts, rounds) > memory && rounds < most) ++rounds;
  // One panel of each may fit where two of the narrowest do not.
  return memory_of(brick, parts, rounds) > memory ? 1 : rounds;
}

/// Words of a grid with the rounds that need the least memory, or with those that were given.
double least_memory(const LargestBrick& brick, const Parts& parts, const CosmaLimits& limits) {
  if (limits.rounds) return memory_of(brick, parts, *limits.rounds);
  const std::int64_t narrowest = std::max<std::int64_t>(most_rounds(brick, parts), 2);
  return std::min(memory_of(brick, parts, narrowest), memory_of(brick, parts, 1));
}

void check(const ProductSize& size, int ranks, const CosmaLimits& limits) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "COSMA: " + message);
  };
  if (ranks < 1) reject(fmt::format("{} ranks: give at least 1", ranks));
  if (size.m < 0 || size.n < 0 || size.k < 0) reject("a negative extent: give 0 or more");
  if (limits.rounds && *limits.rounds < 1) {
    reject(fmt::format("{} rounds: give at least 1", *limits.rounds));
  }
  if (!limits.grid) return;
  const auto [rows, columns, layers] = *limits.grid;
  if (rows < 1 || columns < 1 || layers < 1) {
    reject(fmt::format("a {}x{}x{} grid: give at least 1 of each", rows, columns, layers));
  }
  if (double{1} * rows * columns * layers > ranks) {
    reject(
        fmt::format("a {}x{}x{} grid needs {:.0f} ranks, there are {}: give a smaller grid or "
                    "more ranks",
                    rows, columns, layers, double{1} * rows * columns * layers, ranks));
  }
}

/// The splits of a grid, those whose fibres carry the most last, so that their ranks are
/// neighbours.
std::vector<Split> ordered_splits(const LargestBrick& brick, const Parts& parts) {
  const auto of = most_words(brick, parts);
  struct Fibre {
    Split split;
    double words;
  };
  std::vector<Fibre> fibres{{{WorkAxis::columns, parts[1]}, of[0]},
                            {{WorkAxis::rows, parts[0]}, of[1]},
                            {{WorkAxis::inner, parts[2]}, of[2]}};
  std::stable_sort(fibres.begin(), fibres.end(),
                   [](const Fibre& left, const Fibre& right) { return left.words < right.words; });
  std::vector<Split> splits;
  for (const Fibre& fibre : fibres) {
    if (fibre.split.parts > 1) splits.push_back(fibre.split);
  }
  return splits;
}

/// The grid whose busiest rank receives the fewest words for each rank at work, so that an idle one
/// saves a larger share of the words than of the work; of equal ones that of the most ranks, then
/// of the fewest layers, as nothing hides their sums of C. Words are counted rank by rank where
/// shares of unequal length could make a difference.
Parts of_fewest_words(const ProductSize& size, const std::vector<Parts>& grids) {
  const auto for_each_rank = [](double words, const Parts& parts) {
    return words / (double{1} * parts[0] * parts[1] * parts[2]);
  };
  std::vector<std::pair<double, Parts>> by_least;
  for (const Parts& parts : grids) {
    const double words = least_words(LargestBrick(size, parts), parts);
    by_least.emplace_back(for_each_rank(words, parts), parts);
  }
  std::ranges::stable_sort(by_least, {}, &std::pair<double, Parts>::first);
  using Burden = std::array<double, 3>;
  std::optional<Burden> lightest;
  Parts best{1, 1, 1};
  for (const auto& [least, parts] : by_least) {
    if (lightest && least > lightest->front()) break;
    const BrickGrid grid(size, ordered_splits(LargestBrick(size, parts), parts));
    const Burden burden{for_each_rank(grid.busiest().words_received, parts),
                        -static_cast<double>(grid.ranks()), static_cast<double>(parts[2])};
    if (!lightest || burden < *lightest) {
      lightest = burden;
      best = parts;
    }
  }
  return best;
}

}  // namespace

LocalDomain optimal_domain(const ProductSize& size, double ranks, double memory) {
  const double work = static_cast<double>(size.m) * static_cast<double>(size.n) *
                      static_cast<double>(size.k) / ranks;
  const double side = std::cbrt(work);
  return {std::min(std::sqrt(memory), side), std::max(work / memory, side)};
}

std::int64_t fewest_rounds(const LocalDomain& domain, double memory) {
  const double most = std::max(std::ceil(domain.b), 1.0);
  const double left = memory - domain.a * domain.a;
  const double rounds = left > 0 ? std::ceil(2 * domain.a * domain.b / left) : most;
  return static_cast<std::int64_t>(std::clamp(rounds, 1.0, most));
}

double least_memory_for_cosma(const ProductSize& size, int ranks, const CosmaLimits& limits) {
  check(size, ranks, limits);
  double least = std::numeric_limits<double>::infinity();
  for_each_grid(ranks, limits, [&](const Parts& parts) {
    least = std::min(least, least_memory(LargestBrick(size, parts), parts, limits));
  });
  return std::ceil(least);
}

double brick_memory(const BrickGrid& grid, std::int64_t rounds) {
  const Parts parts{grid.parts(WorkAxis::rows), grid.parts(WorkAxis::columns),
                    grid.parts(WorkAxis::inner)};
  return memory_of(LargestBrick(grid.size(), parts), parts, rounds);
}

CosmaDecomposition decompose_for_cosma(const ProductSize& size, int ranks,
                                       const CosmaLimits& limits) {
  check(size, ranks, limits);
  const double memory =
      limits.memory ? static_cast<double>(*limits.memory) : std::numeric_limits<double>::infinity();
  // Bricks may be as much larger as idling the share allows; small extents may not be cut as
  // evenly.
  double smallest_work = std::numeric_limits<double>::infinity();
  for_each_grid(ranks, limits, [&](const Parts& parts) {
    const LargestBrick brick(size, parts);
    if (least_memory(brick, parts, limits) <= memory)
      smallest_work = std::min(smallest_work, brick.work());
  });
  if (std::isinf(smallest_work)) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("COSMA: {} x {} x {} on {} ranks does not fit into {:.0f} words per "
                            "rank: allow {:.0f} words, or use more ranks",
                            size.m, size.n, size.k, ranks, memory,
                            least_memory_for_cosma(size, ranks, limits)));
  }
  const double even_work = static_cast<double>(size.m) * static_cast<double>(size.n) *
                           static_cast<double>(size.k) / ranks;
  const double most_work = std::max(smallest_work, even_work / (1 - limits.idle_share));

  std::vector<Parts> allowed;
  for_each_grid(ranks, limits, [&](const Parts& parts) {
    const LargestBrick brick(size, parts);
    if (brick.work() <= most_work && least_memory(brick, parts, limits) <= memory)
      allowed.push_back(parts);
  });
  const Parts best = of_fewest_words(size, allowed);

  const LargestBrick brick(size, best);
  std::int64_t rounds = limits.rounds ? *limits.rounds : rounds_that_fit(brick, best, memory);
  rounds = std::min<std::int64_t>(rounds, std::numeric_limits<int>::max());
  return {optimal_domain(size, ranks, memory), BrickGrid(size, ordered_splits(brick, best)),
          static_cast<int>(rounds), memory_of(brick, best, rounds)};
}

}  // namespace cuboid::detail
