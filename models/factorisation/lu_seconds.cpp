#include "models/factorisation/lu_seconds.hpp"

#include "models/factorisation/lu_step_sizes.hpp"
#include "models/factorisation/resting_links.hpp"
#include "models/messages/tree_steps.hpp"
#include "models/multiplication/overlap.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// What a rank's core spends on the collectives of a step, averaged over the steps: on those that
/// find pivots and exchange rows, the multicasts, and four among the layers.
double collective_seconds(const LuSchedule& schedule, LuPivotCost pivots, const LuRates& rates) {
  const double panel_share = 1.0 / schedule.columns(), row_share = 1.0 / schedule.rows();
  const bool pivoting = pivots != LuPivotCost::none;
  double seconds = 0;
  const auto add = [&](double collectives, double members) {
    if (members == 1) return;
    seconds += collectives * (rates.seconds_per_collective +
                              steps_of_tree(members) * rates.seconds_per_tree_step);
  };
  add((pivoting ? 3 : 1) * panel_share, schedule.rows() * schedule.layers());
  add((pivoting ? 2 : 1) + row_share, schedule.columns());
  add((pivoting ? 2 : 0) + 1 + panel_share, schedule.rows());
  add(2 * panel_share + 1 + row_share, schedule.layers());
  return seconds;
}

/// What a rank computes in a step, in seconds, on the ranks that it concerns.
struct StepComputing {
  double factorising, solving, update;

  StepComputing(const LuSchedule& schedule, const LuStepSizes& size, LuPivotCost pivots,
                const LuRates& rates) {
    // What is not a product runs slower than a large gemm; products with few inner indices spend
    // their time on C.
    constexpr double narrow = 8, panel_rate = 0.3, solve_rate = 0.25;
    const double w = size.width, layers = schedule.layers();
    const double my_left = size.left / schedule.rows(), my_right = size.right / schedule.columns();
    const auto compute = [&](double multiplications, double rate) {
      return multiplications / (rate * rates.multiplications_per_second);
    };
    const auto move = [&](double elements) {
      return elements * static_cast<double>(rates.element_bytes) * rates.seconds_per_byte_moved;
    };
    // A tournament's own rows are factorised twice, in copies, and so are candidates that meet; one
    // rank alone needs none.
    const double levels = steps_of_tree(schedule.rows() * layers);
    const bool tournament = pivots == LuPivotCost::tournament && levels > 0;
    const double piece = my_left * w / layers;
    factorising = compute((tournament ? 2 : 1) * piece * w / 2, panel_rate) +
                  move((tournament ? 3 : 1) * piece);
    if (tournament) factorising += levels * (compute(w * w * w, panel_rate) + move(4 * w * w));
    const double row = w * my_right / layers;
    solving = compute(row * w / 2, solve_rate) + move(2 * row);
    update = compute(size.below / schedule.rows() * my_right * (w / layers + narrow), 1);
  }
};

/// The links of a rank along the lines of the grid.
class LuCables {
 public:
  LuCables(const LuSchedule& schedule, LuPivotCost pivots, const LuRates& rates)
      : down_(schedule.rows()),
        across_(schedule.columns()),
        layers_(schedule.layers()),
        pivots_(pivots),
        rates_(rates),
        rows_(along(rates.links.rows)),
        columns_(along(rates.links.columns)),
        lines_(along(rates.links.layers)) {}

  /// The panel summed over the layers and dealt to them; its ranks' turn comes once for all
  /// columns.
  double sum_panel(const LuStepSizes& size) {
    if (layers_ == 1) return 0;
    const double panel = size.left / down_ * size.width, words = sums(panel) + dealt(panel);
    return latency(2 * (layers_ - 1)) + carry(lines_, words, words / across_);
  }

  /// The panel's ranks find its pivots, or get its diagonal block.
  double choose(const LuStepSizes& size) {
    const double levels = steps_of_tree(down_ * layers_), block = size.width * size.width;
    if (levels == 0) return 0;
    if (pivots_ == LuPivotCost::partial) {
      const double words = 2 * levels * block;
      return latency(2 * levels * size.width) + carry(columns_, words, words / across_);
    }
    // Only one of a line's links takes part. In an all-reduce each message goes twice as far as the
    // one before, so over the busiest link go as many as there are other ranks.
    const bool tournament = pivots_ == LuPivotCost::tournament;
    const double over_link = tournament ? down_ - 1 + (layers_ - 1) / rates_.links.layers : 1;
    const double words = over_link * block * rates_.links.columns;
    return latency(tournament ? steps_in_rank_order(down_ * layers_) : levels) +
           carry(columns_, words, words / across_);
  }

  /// L and the diagonal block along the rows.
  double send_lower(const LuStepSizes& size) {
    if (across_ == 1) return 0;
    const double diagonal = size.width * size.width;
    const double lower = size.width / layers_ * size.below / down_;
    return latency(steps_of_tree(across_)) +
           carry(rows_, lower + diagonal,
                 busy(across_, rates_.links.rows) * lower + diagonal / down_);
  }

  /// U along the columns.
  double send_upper(const LuStepSizes& size) {
    if (down_ == 1) return 0;
    const double upper = size.width / layers_ * size.right / across_;
    return latency(steps_of_tree(down_)) +
           carry(columns_, upper, busy(down_, rates_.links.columns) * upper);
  }

  /// The rows that are exchanged, summed over the layers first; the block row dealt to them.
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
      // As many go; half of a ring's are on their way over two links or more.
      const double crossed = rates_.links.columns >= 2 ? down_ * down_ / 4 / (down_ - 1) : 1;
      seconds += latency(2) + carry(columns_, come, 2 * come / down_ * crossed);
    }
    return seconds;
  }

  /// L's rows brought in order at the end.
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
  /// Of a multicast's time the share in which the busiest link carries: over a single one, of a
  /// line whose ranks take turns in sending, the sender's has its rest.
  static double busy(double line, double links) { return links >= 2 ? 1 : (line - 1) / line; }

  double down_, across_, layers_;
  LuPivotCost pivots_;
  const LuRates& rates_;
  RestingLinks rows_, columns_, lines_;
};

}  // namespace

LuSecondsEstimate lu_seconds(const LuSchedule& schedule, LuPivotCost pivots, const LuRates& rates) {
  LuSecondsEstimate sum;
  LuCables cables(schedule, pivots, rates);
  const double ranks =
      static_cast<double>(schedule.rows()) * schedule.columns() * schedule.layers();
  const double collectives = collective_seconds(schedule, pivots, rates);
  schedule.visit_steps([&](const LuStep& at, double times) {
    const LuStepSizes size(schedule, at, pivots);
    const StepComputing computing(schedule, size, pivots, rates);
    const double panel = cables.sum_panel(size) + cables.choose(size);
    const double lower = cables.send_lower(size);
    const double rows = cables.exchange_rows(size);
    const double upper = cables.send_upper(size);

    // The part of the panel and of its multicast that U's and the update do not hide.
    const double factorised = panel + computing.factorising, ahead = factorised + lower;
    const double seen = std::max(factorised / schedule.columns(), ahead - upper - computing.update);
    if (ahead > 0) {
      sum.panel += times * seen * factorised / ahead;
      sum.multicast += times * seen * lower / ahead;
    }
    sum.rows += times * (rows + computing.solving);
    sum.multicast += times * upper;
    sum.update += times * computing.update;
    sum.collectives += times * collectives;
    sum.interchange += times * cables.interchange(size);

    const double path = rows + computing.solving + upper + computing.update + seen + collectives;
    const double bytes = words_of_step(schedule, size, pivots, rates.element_bytes).total() /
                         ranks * static_cast<double>(rates.element_bytes);
    const double cores =
        rates.ranks_per_core * (computing.update + computing.solving / schedule.rows() +
                                computing.factorising / schedule.columns() + collectives +
                                bytes * rates.core_seconds_per_byte);
    const double carried = rows + std::max(upper, panel + lower);
    const double at_best = std::max(path, cores);
    const double step =
        partly_overlapped({std::max(at_best, carried + cores), at_best}, rates.overlap);
    sum.cores += times * (step - path);
    cables.pass(step);
  });
  return sum;
}

}  // namespace cuboid::detail
