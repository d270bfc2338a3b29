#pragma once

#include "models/factorisation/lu_seconds.hpp"
#include "models/factorisation/lu_step_sizes.hpp"
#include "models/factorisation/resting_links.hpp"
#include "models/messages/tree_steps.hpp"

#include <algorithm>

namespace cuboid::detail {

/// Seconds of a core to multiply, and to move elements in memory.
inline double multiply_seconds(double multiplications, const LuRates& rates) {
  return multiplications / rates.multiplications_per_second;
}
inline double moved(double elements, const LuRates& rates) {
  return elements * static_cast<double>(rates.element_bytes) * rates.seconds_per_byte_moved;
}

/// Seconds of a rank's core for collectives of `members` ranks.
inline double core_seconds_of_collectives(double collectives, double members,
                                          const LuRates& rates) {
  if (members == 1) return 0;
  return collectives *
         (rates.seconds_per_collective + steps_of_tree(members) * rates.seconds_per_tree_step);
}

/// The links of a rank along the lines of the grid. Each function returns the seconds of a part of
/// a step.
class LuCables {
 public:
  LuCables(const PanelSchedule& schedule, LuPivotCost pivots, const LuRates& rates)
      : down_(schedule.rows()),
        across_(schedule.columns()),
        layers_(schedule.layers()),
        pivots_(pivots),
        rates_(rates),
        rows_(along(rates.links.rows)),
        columns_(along(rates.links.columns)),
        lines_(along(rates.links.layers)) {}

  /// Sums the panel over the layers and deals it to them. Each grid column has its turn once per
  /// round of all columns.
  double sum_panel(const LuStepSizes& size) {
    if (layers_ == 1) return 0;
    const double panel = size.left / down_ * size.width, words = sums(panel) + dealt(panel);
    return latency(2 * (layers_ - 1)) + carry(lines_, words, words / across_);
  }

  /// Finds the panel's pivots on its ranks, or sends them its diagonal block.
  double choose(const LuStepSizes& size) {
    const double levels = steps_of_tree(down_ * layers_), block = size.width * size.width;
    if (levels == 0) return 0;
    if (pivots_ == LuPivotCost::partial) {
      const double words = 2 * levels * block;
      return latency(2 * levels * size.width) + carry(columns_, words, words / across_);
    }
    // Only one of a line's links takes part. In an all-reduce each message goes twice as far as the
    // message before, so the busiest link carries as many messages as there are other ranks.
    const bool tournament = pivots_ == LuPivotCost::tournament;
    const double over_link = tournament ? down_ - 1 + (layers_ - 1) / rates_.links.layers : 1;
    const double words = over_link * block * rates_.links.columns;
    return latency(tournament ? steps_in_rank_order(down_ * layers_) : levels) +
           carry(columns_, words, words / across_);
  }

  /// Sends L along the rows, and `diagonal` words of the diagonal block along its grid row.
  double send_lower(const LuStepSizes& size, double diagonal) {
    if (across_ == 1) return 0;
    const double lower = size.width / layers_ * size.below / down_;
    return latency(steps_of_tree(across_)) +
           carry(rows_, lower + diagonal,
                 busy(across_, rates_.links.rows) * lower + diagonal / down_);
  }

  /// Sends U, or the transposed L, along the columns.
  double send_upper(const LuStepSizes& size) {
    if (down_ == 1) return 0;
    const double upper = size.width / layers_ * size.right / across_;
    return latency(steps_of_tree(down_)) +
           carry(columns_, upper, busy(down_, rates_.links.columns) * upper);
  }

  /// Sums the rows that are exchanged over the layers, deals the block row to the layers, and
  /// exchanges rows.
  double exchange_rows(const LuStepSizes& size) {
    const double my_right = size.right / across_;
    double seconds = 0;
    if (layers_ > 1) {
      const double summed = size.width + size.exchanged / down_;
      const double in_mean = (size.width + size.exchanged) / down_;
      const double row = dealt(size.width * my_right);
      seconds += latency(2 * (layers_ - 1)) + carry(lines_, sums(summed * my_right) + row,
                                                    sums(in_mean * my_right) + row / down_);
    }
    if (size.from_other_rows > 0) {
      const double come = size.from_other_rows * my_right / layers_;
      // As many rows go as come. On a ring half of them cross two links or more.
      const double crossed = rates_.links.columns >= 2 ? down_ * down_ / 4 / (down_ - 1) : 1;
      seconds += latency(2) + carry(columns_, come, 2 * come / down_ * crossed);
    }
    return seconds;
  }

  /// Brings L's rows in order at the end.
  double interchange(const LuStepSizes& size) const {
    if (pivots_ == LuPivotCost::none || down_ == 1) return 0;
    const double words = size.width / layers_ * size.below / down_ * (1 - 1 / down_);
    return (latency(down_ - 1) + words * word_seconds() / rates_.links.columns) / across_;
  }

  void pass(double seconds) {
    for (RestingLinks* const links : {&rows_, &columns_, &lines_}) links->pass(seconds);
  }

 private:
  RestingLinks along(double links) const {
    return {rates_.network.beta / links, links * rates_.burst_bytes};
  }
  double latency(double messages) const { return messages * rates_.network.alpha; }
  double word_seconds() const {
    return rates_.network.beta * static_cast<double>(rates_.element_bytes);
  }
  double carry(RestingLinks& links, double words, double mean_words) const {
    const auto bytes = static_cast<double>(rates_.element_bytes);
    return links.carry(words * bytes, mean_words * bytes);
  }
  double sums(double words) const { return (layers_ - 1) / layers_ * words; }
  double dealt(double words) const { return sums(words) / layers_; }
  /// The share of a multicast's time in which the busiest link carries. On a line with a single
  /// link in use ranks take turns in sending, and the sender's own link rests.
  static double busy(double line, double links) { return links >= 2 ? 1 : (line - 1) / line; }

  double down_, across_, layers_;
  LuPivotCost pivots_;
  const LuRates& rates_;
  RestingLinks rows_, columns_, lines_;
};

}  // namespace cuboid::detail
