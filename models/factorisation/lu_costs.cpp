#include "models/factorisation/lu_costs.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

double steps_of_tree(double members) {
  return std::ceil(std::log2(std::max(members, 1.0)));
}

CommunicationCost& operator+=(CommunicationCost& sum, const CommunicationCost& one) {
  sum.words += one.words;
  sum.messages += one.messages;
  return sum;
}

/// One step's extents as numbers, over all ranks.
struct StepSizes {
  double width;  ///< w
  double left;   ///< rows that are left, the step's included
  double below;  ///< without them
  double right;  ///< columns right of the panel
  /// Rows that come to the diagonal block: at all, from other ranks of the panel, and from other
  /// grid rows.
  double exchanged = 0, from_other_pieces = 0, from_other_rows = 0;

  StepSizes(const LuSchedule& schedule, const LuStep& step, LuPivotCost pivots)
      : width(static_cast<double>(step.width())),
        left(static_cast<double>(schedule.m() - step.begin)),
        below(static_cast<double>(schedule.m() - step.end)),
        right(static_cast<double>(schedule.n() - step.end)) {
    if (pivots == LuPivotCost::none) return;
    const auto share_of = [&](std::int64_t rows) {
      return width * (left - static_cast<double>(rows)) / left;
    };
    exchanged = share_of(step.width());
    from_other_pieces = share_of(schedule.panel_piece(step, step.row, 0).length());
    from_other_rows = share_of(schedule.panel_rows(step, step.row).length());
  }
};

/// The number of messages of all ranks in an all-reduce by recursive doubling, as one in rank order
/// is.
double messages_in_rank_order(double members) {
  const double levels = std::floor(std::log2(members)), doubled = std::exp2(levels);
  return doubled * levels + 2 * (members - doubled);
}

/// And how many one after the other.
double steps_in_rank_order(double members) {
  const double levels = std::floor(std::log2(members));
  return members > std::exp2(levels) ? levels + 2 : levels;
}

/// Everything that a step sends, over all ranks.
struct StepWords {
  double panel, multicast, rows, interchange;
};

class LuCosts {
 public:
  LuCosts(const LuSchedule& schedule, LuPivotCost pivots, std::size_t element_bytes)
      : schedule_(schedule),
        pivots_(pivots),
        down_(schedule.rows()),
        across_(schedule.columns()),
        layers_(schedule.layers()),
        words_per_number_(8.0 / static_cast<double>(element_bytes)) {}

  double ranks() const { return down_ * across_ * layers_; }

  StepWords words(const StepSizes& size) const {
    const double others = layers_ - 1, dealt = others / layers_;
    const double sums = others * size.left * size.width;
    const double panel = sums + dealt * size.left * size.width + pivot_words(size) +
                         size.from_other_pieces * size.width;
    const double lower = size.width * size.below * (across_ - 1);
    const double upper = size.width * size.right * (down_ - 1);
    const double diagonal = layers_ * (across_ - 1) * size.width * size.width;
    const double numbers = pivots_ == LuPivotCost::none
                               ? 0
                               : down_ * layers_ * (across_ - 1) * size.width * words_per_number_;
    const double rows =
        (others * (size.width + size.exchanged) + dealt * size.width + 2 * size.from_other_rows) *
        size.right;
    const double interchange =
        pivots_ == LuPivotCost::none ? 0 : (1 - 1 / down_) * size.width * size.below;
    return {panel, lower + upper + diagonal + numbers, rows, interchange};
  }

  /// Messages one after the other in each part of a step.
  StepWords messages() const {
    const double among_layers = 2 * (layers_ - 1);
    const bool exchanges = pivots_ != LuPivotCost::none && down_ > 1;
    return {among_layers + steps_of_tree(down_ * layers_),
            steps_of_tree(across_) + steps_of_tree(down_), among_layers + (exchanges ? 2 : 0),
            exchanges ? down_ - 1 : 0};
  }

 private:
  /// Messages that find the pivots and send the diagonal block to the panel's ranks.
  double pivot_words(const StepSizes& size) const {
    const double members = down_ * layers_;
    const double row = size.width + words_per_number_;
    switch (pivots_) {
      case LuPivotCost::none: return (members - 1) * size.width * size.width;
      case LuPivotCost::tournament: return messages_in_rank_order(members) * size.width * row;
      case LuPivotCost::partial:
        return 2 * (members - 1) * size.width * (row + 2 * words_per_number_);
    }
    return 0;
  }

  const LuSchedule& schedule_;
  LuPivotCost pivots_;
  double down_, across_, layers_, words_per_number_;
};

}  // namespace

CommunicationCost LuCommunication::total() const {
  CommunicationCost sum = panel;
  for (const CommunicationCost& one : {multicast, rows, interchange}) sum += one;
  return sum;
}

LuCommunication lu_communication(const LuSchedule& schedule, LuPivotCost pivots,
                                 std::size_t element_bytes) {
  const LuCosts costs(schedule, pivots, element_bytes);
  const StepWords messages = costs.messages();
  LuCommunication sum;
  for (std::int64_t index = 0; index < schedule.steps(); ++index) {
    const StepSizes size(schedule, schedule.step(index), pivots);
    const StepWords words = costs.words(size);
    const bool partial = pivots == LuPivotCost::partial;
    sum.panel += {words.panel / costs.ranks(), messages.panel * (partial ? size.width : 1)};
    sum.multicast += {words.multicast / costs.ranks(), messages.multicast};
    sum.rows += {words.rows / costs.ranks(), messages.rows};
    sum.interchange += {words.interchange / costs.ranks(), messages.interchange};
  }
  return sum;
}

namespace {

/// The number of collectives of a rank, averaged over the steps: those that find pivots and
/// exchange rows, the multicasts, and four among the layers.
double collectives_of_a_step(const LuSchedule& schedule, LuPivotCost pivots) {
  const double panel_share = 1.0 / schedule.columns(), row_share = 1.0 / schedule.rows();
  const bool pivoting = pivots != LuPivotCost::none;
  double collectives = 0;
  if (schedule.rows() * schedule.layers() > 1) collectives += (pivoting ? 3 : 1) * panel_share;
  if (schedule.columns() > 1) collectives += (pivoting ? 2 : 1) + row_share;
  if (schedule.rows() > 1) collectives += (pivoting ? 2 : 0) + 1 + panel_share;
  if (schedule.layers() > 1) collectives += 2 * panel_share + 1 + row_share;
  return collectives;
}

/// Seconds of one step's parts, each on the ranks that it concerns.
struct StepSeconds {
  double panel, lower, rows, upper, update, interchange;
  double computing;  ///< without what is sent; the mean of all ranks
};

StepSeconds step_seconds(const LuSchedule& schedule, const StepSizes& size, LuPivotCost pivots,
                         const LuRates& rates) {
  const double down = schedule.rows(), across = schedule.columns(), layers = schedule.layers();
  const double word = rates.network.beta * static_cast<double>(rates.element_bytes);
  const auto travel = [&](double messages, double words, double links) {
    return messages * rates.network.alpha + words * word / links;
  };
  const LuLinks& links = rates.links;
  // A panel's ranks are a column of the grid and of all layers.
  const double of_plane = layers > 1 ? std::min(links.columns, links.layers) : links.columns;
  // Narrow products and what is not a product run slower than a large gemm.
  constexpr double narrow = 32, panel_rate = 0.25, solve_rate = 0.5;
  const auto compute = [&](double multiplications, double rate) {
    return multiplications / (rate * rates.multiplications_per_second);
  };
  const double w = size.width, slice = w / layers;
  const double my_left = size.left / down, my_below = size.below / down;
  const double my_right = size.right / across;
  // Summed over the layers, and dealt to them.
  const auto over_layers = [&](double words) {
    return layers > 1 ? travel(2 * (layers - 1), (layers - 1) / layers * words * (1 + 1 / layers),
                               links.layers)
                      : 0;
  };

  // A tournament's own rows are factorised twice; one rank alone needs none.
  const double levels = steps_of_tree(down * layers);
  const bool tournament = pivots == LuPivotCost::tournament && levels > 0;
  const double factorising =
      compute((tournament ? 2 : 1) * my_left / layers * w * w / 2, panel_rate) +
      (tournament ? levels * compute(w * w * w, panel_rate) : 0);
  double choosing = 0;
  if (pivots == LuPivotCost::partial) {
    choosing = w * travel(2 * levels, 2 * levels * w, of_plane);
  } else if (levels > 0) {
    const double steps = tournament ? steps_in_rank_order(down * layers) : levels;
    choosing = travel(steps, steps * w * w, of_plane);
  }
  const double solving = compute(w * w / 2 * my_right / layers, solve_rate);
  const double exchanging = size.from_other_rows > 0
                                ? travel(2, size.from_other_rows * my_right / layers, links.columns)
                                : 0;
  const double update = compute(my_below * my_right * slice, slice / (slice + narrow));
  const bool interchanges = pivots != LuPivotCost::none && down > 1;
  return {
      .panel = factorising + over_layers(my_left * w) + choosing,
      .lower = across > 1 ? travel(steps_of_tree(across), slice * my_below + w * w, links.rows) : 0,
      .rows = over_layers((w + size.exchanged) * my_right) + exchanging + solving,
      .upper = down > 1 ? travel(steps_of_tree(down), slice * my_right, links.columns) : 0,
      .update = update,
      .interchange =
          interchanges ? travel(down - 1, slice * my_below * (1 - 1 / down), links.columns) / across
                       : 0,
      .computing = update + solving / down + factorising / across};
}

}  // namespace

LuSecondsEstimate lu_seconds(const LuSchedule& schedule, LuPivotCost pivots, const LuRates& rates) {
  LuSecondsEstimate sum;
  double computing = 0;
  for (std::int64_t index = 0; index < schedule.steps(); ++index) {
    const StepSizes size(schedule, schedule.step(index), pivots);
    const StepSeconds step = step_seconds(schedule, size, pivots, rates);
    computing += step.computing;
    sum.rows += step.rows;
    sum.update += step.update;
    sum.multicast += step.upper;
    sum.interchange += step.interchange;
    // The part of the panel and of its multicast that U's and the update do not hide.
    const double ahead = step.panel + step.lower;
    const double seen = std::max(step.panel / schedule.columns(), ahead - step.upper - step.update);
    if (ahead > 0) {
      sum.panel += seen * step.panel / ahead;
      sum.multicast += seen * step.lower / ahead;
    }
  }
  sum.multicast -= std::min(sum.multicast, rates.burst_bytes * rates.network.beta);
  sum.collectives = static_cast<double>(schedule.steps()) *
                    collectives_of_a_step(schedule, pivots) * rates.seconds_per_collective;
  const double bytes = lu_communication(schedule, pivots, rates.element_bytes).total().words *
                       static_cast<double>(rates.element_bytes);
  const double of_cores =
      rates.ranks_per_core * (computing + sum.collectives + bytes * rates.core_seconds_per_byte);
  sum.cores = std::max(0.0, of_cores - sum.total());
  return sum;
}

double lu_memory(const LuSchedule& schedule) {
  const double rows = static_cast<double>(schedule.local_rows(0));
  const double columns = static_cast<double>(schedule.local_columns(0));
  const double layers = schedule.layers();
  const double block =
      static_cast<double>(std::min({schedule.block(), schedule.m(), schedule.n()}));
  // Layers take their part from a share of the matrix that is brought first.
  const double share = layers > 1 ? rows * columns / layers : 0;
  // Panels: coming, in use, being factorised, packed; of the block row three likewise.
  return rows * columns + share + (4 * rows + 3 * columns + 4 * block) * block;
}

}  // namespace cuboid::detail
