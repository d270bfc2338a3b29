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

/// An operand of SUMMA: each line of ranks gets some of its vectors.
struct PanelledOperand {
  std::int64_t vectors = 0;
  int parts = 1;  ///< parts into which vectors are distributed
  int line = 1;   ///< ranks that get the same vectors
};

/// Adds up the words that are redistributed, one matrix after the other.
class Redistributing {
 public:
  Redistributing(const PlanCandidate& candidate, const PlanRequest& request)
      : candidate_(candidate), request_(request) {}

  /// Adds a whole matrix.
  /// @param shares  the number of shares that move one after the other.
  void whole(double share, int shares) {
    words_.moved += shares * share;
    words_.held += share;
    most_at_once_ = std::max(most_at_once_, share);
  }

  /// Adds an operand panel by panel. A line of one rank needs memory for panels only because they
  /// are redistributed.
  void by_panels(double share, const PanelledOperand& operand) {
    const bool of_groups = candidate_.groups.size() > 1;
    const std::int64_t width =
        std::min(request_.size.k, of_groups ? candidate_.outer_width : candidate_.panel_width);
    const double panel = std::ceil(static_cast<double>(operand.vectors) / operand.parts) *
                         static_cast<double>(width);
    words_.moved += share;
    if (operand.line == 1) words_.held += panels_held(candidate_.order) * panel;
    most_at_once_ = std::max(most_at_once_, panel);
  }

  /// All words that are redistributed, with the words of the messages that are being sent and
  /// received.
  RedistributedWords words() const {
    const double bound =
        static_cast<double>(default_exchange_bytes) / static_cast<double>(request_.element_bytes);
    return {words_.moved, words_.held + std::min(2 * most_at_once_, bound)};
  }

 private:
  const PlanCandidate& candidate_;
  const PlanRequest& request_;
  RedistributedWords words_;
  double most_at_once_ = 0;
};

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
  const bool by_panels = goes_by_panels(candidate);
  Redistributing adding(candidate, request);
  if (!wanted.takes_a(stored)) {
    by_panels ? adding.by_panels(share(m, k), {m, P, Q}) : adding.whole(share(m, k), 1);
  }
  if (!wanted.takes_b(stored)) {
    by_panels ? adding.by_panels(share(k, n), {n, Q, P}) : adding.whole(share(k, n), 1);
  }
  constexpr int there_and_back = 2;
  if (!wanted.takes_c(stored)) adding.whole(share(m, n), there_and_back);
  return adding.words();
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
