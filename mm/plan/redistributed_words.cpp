#include "mm/plan/redistributed_words.hpp"

#include <cuboid/redistribute.hpp>

#include "mm/drivers/cannon/cannon.hpp"
#include "mm/drivers/cannon/sd_cannon.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

/// True if operands are redistributed panel by panel. Several groups of several ranks need whole
/// operands.
bool goes_by_panels(const PlanCandidate& candidate) {
  const int groups = candidate.groups.size();
  return candidate.algorithm == MultiplicationAlgorithm::summa &&
         (groups == 1 || groups == candidate.grid.size());
}

}  // namespace

RedistributedWords redistributed_words(const PlanCandidate& candidate, LayoutsFor layouts_for,
                                       const PlanRequest& request) {
  if (!request.stored) return {};
  const ProductLayouts& stored = *request.stored;
  const auto& [m, n, k] = request.size;
  const auto share = [&](std::int64_t rows, std::int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns) / request.ranks;
  };
  const RequiredLayouts wanted = layouts_for(candidate, stored);
  const int P = candidate.grid.rows(), Q = candidate.grid.columns();
  const bool of_groups = candidate.groups.size() > 1;
  const auto width =
      static_cast<double>(std::min(k, of_groups ? candidate.outer_width : candidate.panel_width));
  RedistributedWords words;
  double most_at_once = 0;
  const auto whole = [&](double words_of_share, int times) {
    words.moved += times * words_of_share;
    words.held += words_of_share;
    most_at_once = std::max(most_at_once, words_of_share);
  };
  // An operand whose vectors are distributed to `parts` lines of `line` ranks. A line of one rank
  // needs memory for panels only because they are redistributed.
  const auto operand = [&](double words_of_share, std::int64_t vectors, int parts, int line) {
    if (!goes_by_panels(candidate)) return whole(words_of_share, 1);
    const double panel = std::ceil(static_cast<double>(vectors) / parts) * width;
    words.moved += words_of_share;
    if (line == 1) words.held += panels_held(candidate.order) * panel;
    most_at_once = std::max(most_at_once, panel);
  };
  if (!wanted.takes_a(stored)) operand(share(m, k), m, P, Q);
  if (!wanted.takes_b(stored)) operand(share(k, n), n, Q, P);
  constexpr int there_and_back = 2;
  if (!wanted.takes_c(stored)) whole(share(m, n), there_and_back);
  // The messages that are being sent and received.
  const double bound =
      static_cast<double>(default_exchange_bytes) / static_cast<double>(request.element_bytes);
  words.held += std::min(2 * most_at_once, bound);
  return words;
}

std::vector<Rotation> rotations_of(const PlanCandidate& candidate) {
  if (candidate.algorithm == MultiplicationAlgorithm::sd_cannon)
    return rotations_for_sd_cannon(
        candidate.digits, candidate.one_direction ? ShiftDirections::one : ShiftDirections::both);
  return {rotation_for_cannon(candidate.grid)};
}

double panels_held(PanelOrder order) {
  return order == PanelOrder::all_owners ? 3 : 2;
}

}  // namespace cuboid::detail
