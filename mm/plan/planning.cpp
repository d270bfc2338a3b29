#include "mm/plan/planning.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace cuboid::detail {

namespace {

/// True if at most a tenth of the ranks stays idle. With a given number of layers, the tenth is of
/// the ranks that these layers can use.
bool uses_enough(const PlanRequest& request, std::int64_t ranks, int layers = 1) {
  const int most = request.layers == layers ? request.ranks / layers * layers : request.ranks;
  return ranks <= most && ranks >= most - most / 10;
}

}  // namespace

bool is_worth_costing(const PlanRequest& request, int rows, int columns, int layers) {
  const std::int64_t ranks = request.ranks;
  const auto size = [&](std::int64_t P, std::int64_t Q) { return P * Q * layers; };
  return size(rows + 1, columns) > ranks && size(rows, columns + 1) > ranks &&
         uses_enough(request, size(rows, columns), layers);
}

Planning::Planning(const PlanRequest& request, const Rates& rates)
    : request_(request), rates_(rates) {
  check_request(request);
  machine_ = mapper_of(request.placement);
}

const std::vector<MappedGrid>& Planning::grids() {
  if (!grids_.empty()) return grids_;
  if (const auto& given = request_.grid) {
    const bool numbered = given->is_listed() || given->order() != GridOrder::row_major;
    if (numbered) {
      grids_.emplace_back(*given);
      return grids_;
    }
    grids_.emplace_back(given->rows(), given->columns(), machine());
    // C's own grid, on which C need not move, may number its ranks in another way.
    if (request_.stored && request_.stored->C.grid() == *given) grids_.emplace_back(*given);
    return grids_;
  }
  for (int rows = 1; rows <= request_.ranks; ++rows) {
    const int columns = request_.ranks / rows;
    if (is_worth_costing(request_, rows, columns, 1)) grids_.emplace_back(rows, columns, machine());
  }
  if (request_.stored) {
    const GridShape& own = request_.stored->C.grid();
    if (own.is_on_first_ranks() && uses_enough(request_, own.size())) grids_.emplace_back(own);
  }
  return grids_;
}

const std::vector<MappedGrid>& Planning::grids_to_rotate_on() {
  if (request_.grid) return grids();
  if (!grids_to_rotate_on_.empty()) return grids_to_rotate_on_;
  grids_to_rotate_on_ = grids();
  const int side = static_cast<int>(std::sqrt(static_cast<double>(request_.ranks)) + 1e-9);
  const bool among_them = is_worth_costing(request_, side, side, 1);
  if (side > 1 && !among_them) grids_to_rotate_on_.emplace_back(side, side, machine());
  return grids_to_rotate_on_;
}

std::vector<PlanCandidate> Planning::sorted() && {
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const PlanCandidate& left, const PlanCandidate& right) {
                     if (left.fits != right.fits) return left.fits;
                     if (!left.fits) return left.memory < right.memory;
                     return left.seconds < right.seconds;
                   });
  prefer_the_leanest();
  return std::move(candidates_);
}

/// Moves the leanest of the fastest plans to the front. Predictions are not accurate to a percent.
/// So plans that are about as fast as the fastest one are compared by words, which may overlap less
/// on another machine, then by memory, then by messages. Within a node words are copied and nothing
/// overlaps: there each algorithm is represented by its fastest plan, and only memory counts.
void Planning::prefer_the_leanest() {
  if (candidates_.empty()) return;
  const double limit = as_fast * candidates_.front().seconds;
  std::vector<std::vector<PlanCandidate>::iterator> good;
  std::vector<MultiplicationAlgorithm> seen;
  for (auto one = candidates_.begin(); one != candidates_.end(); ++one) {
    if (!one->fits || one->seconds > limit) break;
    const bool again = std::ranges::find(seen, one->algorithm) != seen.end();
    if (again && rates_.one_node) continue;
    seen.push_back(one->algorithm);
    good.push_back(one);
  }
  if (good.empty()) return;
  const double fewest =
      (*std::ranges::min_element(good, {}, [](auto one) { return one->words; }))->words;
  const auto leanest = *std::ranges::min_element(good, {}, [&](auto one) {
    const bool many_words = !rates_.one_node && one->words > few_words * fewest;
    return std::tuple(many_words, one->memory, one->messages);
  });
  std::rotate(candidates_.begin(), leanest, leanest + 1);
}

void Planning::add(PlanCandidate candidate) {
  const auto beats = [&](const PlanCandidate& one, const PlanCandidate& other) {
    return one.algorithm == other.algorithm && one.fits >= other.fits &&
           one.seconds <= other.seconds && one.memory <= other.memory &&
           (rates_.one_node || one.words <= other.words);
  };
  for (const PlanCandidate& other : candidates_) {
    if (beats(other, candidate)) return;
  }
  std::erase_if(candidates_, [&](const PlanCandidate& other) { return beats(candidate, other); });
  candidates_.push_back(std::move(candidate));
}

}  // namespace cuboid::detail
