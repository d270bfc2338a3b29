#include "models/factorisation/step_costs.hpp"
#include "models/messages/tree_steps.hpp"
#include "models/multiplication/lower_cover.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cuboid::detail {

namespace {

/// LU's steps, and Cholesky's as far as they are the same.
class LuSteps {
 public:
  LuSteps(const PanelSchedule& schedule, LuPivotCost pivots, const LuRates& rates)
      : schedule_(schedule),
        pivots_(pivots),
        rates_(rates),
        down_(schedule.rows()),
        across_(schedule.columns()),
        layers_(schedule.layers()),
        pieces_(std::lcm(schedule.rows(), schedule.columns())),
        words_per_number_(8.0 / static_cast<double>(rates.element_bytes)),
        along_rows_(across_, rates.links.rows, rates),
        along_columns_(down_, rates.links.columns, rates),
        through_layers_(layers_, rates.links.layers, rates) {}

  StepCost of_lu(const PanelStep& step) {
    const Sizes size(*this, step);
    StepCost cost{.panel = panel(size)};
    const double w = size.width, diagonal = w * w;
    const double numbers = pivots_ == LuPivotCost::none ? 0 : down_ * w * words_per_number_;
    const double diagonals = pivots_ == LuPivotCost::none ? 1 : 1 + down_;
    cost.ahead = send_lower(size, {.messages = layers_ * diagonals,
                                   .words = layers_ * (diagonal + numbers),
                                   .on_link = diagonal});
    cost.rows = exchange_rows(size);
    // The columns of the next panel go first, apart from others of their rank.
    const double blocks = blocks_of(size.right), lines = std::min(blocks, across_);
    cost.along = send_upper(size, lines + (blocks > lines ? 1 : 0));
    cost.interchange = interchange(size);

    // In a tournament a rank factorises its own rows twice, in copies, and candidates that meet
    // also twice. A rank alone needs no tournament.
    const double levels = steps_of_tree(down_ * layers_), my_right = size.right / across_;
    const bool meets = pivots_ == LuPivotCost::tournament && levels > 0;
    cost.factorising = factorising(size, meets ? 2 : 1, meets ? 3 : 1);
    if (meets) {
      cost.factorising += levels * (multiply_seconds(w * w * w, rates_, usual_kernels.lu_panel) +
                                    moved(4 * w * w, rates_));
    }
    const double row = w * my_right / layers_;
    cost.solving = multiply_seconds(row * w / 2, rates_, usual_kernels.triangular_solve) +
                   moved(2 * row, rates_);
    cost.update = multiply_seconds(
        size.below / down_ * my_right * (w / layers_ + usual_kernels.further_depth), rates_);
    return cost;
  }

  StepCost of_cholesky(const PanelStep& step) {
    const Sizes size(*this, step);
    StepCost cost{.panel = panel(size)};
    cost.ahead = send_lower(size, {});
    // One piece for each grid row whose rows are columns of the grid column.
    cost.ahead += send_upper(size, std::min(blocks_of(size.right), pieces_));
    cost.factorising = factorising(size, 1, 1);
    // Updated: the lower half and the triangles that are covered whole; and the panel is
    // transposed.
    const double w = size.width;
    const double my_below = size.below / down_, my_right = size.below / across_;
    const bool of_one_block = 2 * w > narrow_columns;
    const double above = of_one_block ? w : narrow_columns * across_;
    const double triangles = std::min(my_right * above / down_, my_below * my_right);
    const double elements = (my_below * my_right + triangles) / 2;
    cost.update = multiply_seconds(elements * (w / layers_ + usual_kernels.further_depth), rates_) +
                  moved(2 * w / layers_ * my_right, rates_);
    return cost;
  }

  void pass(double seconds) {
    for (LinesOfRanks* const lines : {&along_rows_, &along_columns_, &through_layers_})
      lines->pass(seconds);
  }

 private:
  /// The extents of a step, over all ranks.
  struct Sizes {
    double width;  ///< w
    double left;   ///< rows that are left, with those of the step
    double below;  ///< rows that are left, without those of the step
    double right;  ///< columns right of the panel
    /// Rows that come to the diagonal block: all of them, those from other ranks of the panel, and
    /// those from other grid rows.
    double exchanged = 0, from_other_pieces = 0, from_other_rows = 0;
    /// The number of grid rows that have rows of the panel, and of grid columns right of it.
    double rows, columns;

    Sizes(const LuSteps& steps, const PanelStep& step)
        : width(static_cast<double>(step.width())),
          left(static_cast<double>(steps.schedule_.m() - step.begin)),
          below(static_cast<double>(steps.schedule_.m() - step.end)),
          right(static_cast<double>(steps.schedule_.n() - step.end)),
          rows(std::min(steps.blocks_of(left), steps.down_)),
          columns(std::min(steps.blocks_of(right), steps.across_)) {
      if (steps.pivots_ == LuPivotCost::none) return;
      const auto share_of = [&](std::int64_t rows) {
        return width * (left - static_cast<double>(rows)) / left;
      };
      exchanged = share_of(step.width());
      from_other_pieces = share_of(steps.schedule_.panel_piece(step, step.row, 0).length());
      from_other_rows = share_of(steps.schedule_.panel_rows(step, step.row).length());
    }
  };

  double blocks_of(double extent) const {
    return std::ceil(extent / static_cast<double>(schedule_.block()));
  }

  /// The expected number of the `others` from which at least one of a step's pivots comes, if
  /// `come` of its `width` rows do so in the mean.
  static double partners(double others, double come, double width) {
    return come > 0 ? others * (1 - std::pow(1 - come / width / others, width)) : 0;
  }

  /// Sums the panel over the layers and deals it to them; finds its pivots on its ranks, or sends
  /// them its diagonal block. Each grid column has its turn once per round of all columns.
  StepPart panel(const Sizes& size) {
    StepPart part;
    if (layers_ > 1) {
      const double all = (layers_ - 1) * (1 + 1 / layers_) * size.left * size.width;
      const double mine = all / (down_ * layers_);
      part = through_layers_.send({.chain = 2 * (layers_ - 1),
                                   .messages = 2 * size.rows * layers_ * (layers_ - 1),
                                   .words = all,
                                   .on_link = mine,
                                   .in_mean = mine / across_});
    }
    part += choose(size);
    part.words += size.from_other_pieces * size.width;
    part.messages += partners(size.rows * layers_ - 1, size.from_other_pieces, size.width);
    return part;
  }

  StepPart choose(const Sizes& size) {
    const double members = down_ * layers_, levels = steps_of_tree(members);
    if (levels == 0) return {};
    const double w = size.width, block = w * w, links = along_columns_.links();
    const double row = w + words_per_number_;
    const auto send = [&](double chain, double messages, double of_a_message, double on_link) {
      return along_columns_.send(
          {chain, messages, messages * of_a_message, on_link, on_link / across_});
    };
    if (pivots_ == LuPivotCost::partial) {
      StepPart part = send(2 * levels * w, 2 * (members - 1) * w, row + 2 * words_per_number_,
                           2 * levels * block);
      part.seconds += 2 * levels * w * rates_.seconds_of_turns;
      return part;
    }
    // Only one of a line's links takes part.
    if (pivots_ == LuPivotCost::none) return send(levels, members - 1, block, block * links);
    // An all-reduce in rank order by recursive doubling. Each message goes twice as far as the
    // message before, so the busiest link carries as many messages as there are other ranks.
    const double whole = std::floor(std::log2(members)), doubled = std::exp2(whole);
    const double over_link = down_ - 1 + (layers_ - 1) / through_layers_.links();
    return send(members > doubled ? whole + 2 : whole, doubled * whole + 2 * (members - doubled),
                w * row, over_link * block * links);
  }

  /// Sends L along the rows, and the diagonal block with the pivots' numbers.
  /// @param diagonal  the messages and words of these to one rank of each line, and the words that
  ///                  a link of the diagonal block's grid row carries.
  StepPart send_lower(const Sizes& size, const SentOnLines& diagonal) {
    if (across_ == 1) return {};
    const double lower = size.width / layers_ * size.below / down_;
    const double lines = layers_ * std::min(blocks_of(size.below), down_);
    return along_rows_.send({.chain = steps_of_tree(across_),
                             .messages = (across_ - 1) * (lines + diagonal.messages),
                             .words = (across_ - 1) * (size.width * size.below + diagonal.words),
                             .on_link = lower + diagonal.on_link,
                             .in_mean = along_rows_.busy() * lower + diagonal.on_link / down_});
  }

  /// Sends U, or the transposed L, along the columns.
  /// @param multicasts  the number of multicasts in each layer.
  StepPart send_upper(const Sizes& size, double multicasts) {
    if (down_ == 1) return {};
    const double upper = size.width / layers_ * size.right / across_;
    return along_columns_.send({.chain = steps_of_tree(down_),
                                .messages = (down_ - 1) * layers_ * multicasts,
                                .words = (down_ - 1) * size.width * size.right,
                                .on_link = upper,
                                .in_mean = along_columns_.busy() * upper});
  }

  /// Sums the rows that are exchanged over the layers, deals the block row to the layers, and
  /// exchanges rows.
  StepPart exchange_rows(const Sizes& size) {
    const double my_right = size.right / across_, others = layers_ - 1;
    const double rows_with_pivots = partners(size.rows - 1, size.from_other_rows, size.width);
    StepPart part;
    if (layers_ > 1) {
      const double summed = (size.width + size.exchanged / down_) * my_right;
      const double in_mean = (size.width + size.exchanged) / down_ * my_right;
      const double row = others / layers_ / layers_ * size.width * my_right;
      const double all =
          (others * (size.width + size.exchanged) + others / layers_ * size.width) * size.right;
      part = through_layers_.send(
          {.chain = 2 * others,
           .messages = layers_ * others * size.columns * (2 + rows_with_pivots),
           .words = all,
           .on_link = others / layers_ * summed + row,
           .in_mean = others / layers_ * in_mean + row / down_});
    }
    if (size.from_other_rows > 0) {
      const double come = size.from_other_rows * my_right / layers_;
      // As many rows go as come. On a ring half of them cross two links or more.
      const double crossed = along_columns_.links() >= 2 ? down_ * down_ / 4 / (down_ - 1) : 1;
      part += along_columns_.send({.chain = 2,
                                   .messages = 2 * rows_with_pivots * layers_ * size.columns,
                                   .words = 2 * size.from_other_rows * size.right,
                                   .on_link = come,
                                   .in_mean = 2 * come / down_ * crossed});
    }
    return part;
  }

  /// Brings L's rows in order at the end.
  StepPart interchange(const Sizes& size) const {
    if (pivots_ == LuPivotCost::none || down_ == 1) return {};
    const double words = size.width / layers_ * size.below / down_ * (1 - 1 / down_);
    const double bytes = words * static_cast<double>(rates_.element_bytes);
    const auto& [alpha, beta] = rates_.network;
    // Rows are in a random order: from one grid row to another goes none of them with probability
    // (1 - 1 / rows)^(rows of it).
    const double rows = std::min(blocks_of(size.below), down_);
    const double pairs =
        rows > 1 ? rows * (rows - 1) * (1 - std::pow(1 - 1 / rows, size.below / rows)) : 0;
    return {(1 - 1 / down_) * size.width * size.below, layers_ * pairs,
            (alpha * (down_ - 1) + bytes * beta / rates_.links.columns) / across_};
  }

  double factorising(const Sizes& size, double times, double copies) const {
    const double piece = size.left / down_ * size.width / layers_;
    return multiply_seconds(times * piece * size.width / 2, rates_, usual_kernels.lu_panel) +
           moved(copies * piece, rates_);
  }

  const PanelSchedule& schedule_;
  LuPivotCost pivots_;
  const LuRates& rates_;
  double down_, across_, layers_;
  double pieces_;  ///< pairs of a grid row and a grid column that have a block on the diagonal
  double words_per_number_;
  LinesOfRanks along_rows_, along_columns_, through_layers_;
};

/// Seconds of a rank's core for the collectives of a step, averaged over the steps: those that find
/// pivots and exchange rows, the multicasts, and four among the layers. Of partial pivoting also an
/// all-reduce per column, up a tree and down, which is planned with the first.
double collectives_of_lu(const PanelSchedule& schedule, LuPivotCost pivots, const LuRates& rates) {
  const double panel_share = 1.0 / schedule.columns(), row_share = 1.0 / schedule.rows();
  const bool pivoting = pivots != LuPivotCost::none;
  const auto seconds = [&](double collectives, double members) {
    return core_seconds_of_collectives(collectives, members, rates);
  };
  const double members = double{1} * schedule.rows() * schedule.layers();
  const double columns = pivots == LuPivotCost::partial ? static_cast<double>(schedule.block()) : 0;
  return 2 * columns * panel_share * steps_of_tree(members) * rates.seconds_per_tree_step +
         seconds((pivoting ? 3 : 1) * panel_share, members) +
         seconds((pivoting ? 2 : 1) + row_share, schedule.columns()) +
         seconds((pivoting ? 2 : 0) + 1 + panel_share, schedule.rows()) +
         seconds(2 * panel_share + 1 + row_share, schedule.layers());
}

/// The same of Cholesky: those of the diagonal block and among the layers on the panel's ranks, and
/// the multicasts.
double collectives_of_cholesky(const CholeskySchedule& schedule, const LuRates& rates) {
  const PanelSchedule& blocks = schedule.blocks();
  const double panel_share = 1.0 / blocks.columns();
  const auto senders = static_cast<double>(schedule.senders(0).size());
  const auto seconds = [&](double collectives, double members) {
    return core_seconds_of_collectives(collectives, members, rates);
  };
  return seconds(panel_share, blocks.rows() * blocks.layers()) + seconds(1, blocks.columns()) +
         seconds(senders, blocks.rows()) + seconds(2 * panel_share, blocks.layers());
}

/// The sum over the steps that visit_steps(visit) visits.
/// @param cost_of  the cost of a step of LuSteps.
template <class CostOf, class VisitSteps>
LuCost sum_of(const PanelSchedule& schedule, LuPivotCost pivots, double collectives,
              const LuRates& rates, const CostOf& cost_of, const VisitSteps& visit_steps) {
  const double ranks = double{1} * schedule.rows() * schedule.columns() * schedule.layers();
  LuSteps steps(schedule, pivots, rates);
  StepSum sum(schedule, collectives, rates);
  LuCommunication sent;
  visit_steps([&](const PanelStep& at, double times) {
    const StepCost step = cost_of(steps, at);
    step.panel.add_to(sent.panel, times, ranks);
    step.ahead.add_to(sent.multicast, times, ranks);
    step.along.add_to(sent.multicast, times, ranks);
    step.rows.add_to(sent.rows, times, ranks);
    step.interchange.add_to(sent.interchange, times, ranks);
    steps.pass(sum.add(step, times));
  });
  return {sum.seconds(), sent};
}

template <class VisitSteps>
LuCost sum_of_cholesky(const CholeskySchedule& schedule, const LuRates& rates,
                       const VisitSteps& visit_steps) {
  const auto cost_of = [](LuSteps& steps, const PanelStep& at) { return steps.of_cholesky(at); };
  return sum_of(schedule.blocks(), LuPivotCost::none, collectives_of_cholesky(schedule, rates),
                rates, cost_of, visit_steps);
}

}  // namespace

CommunicationCost LuCommunication::total() const {
  return {panel.words + multicast.words + rows.words + interchange.words,
          panel.messages + multicast.messages + rows.messages + interchange.messages};
}

LuCost lu_cost(const PanelSchedule& schedule, LuPivotCost pivots, const LuRates& rates) {
  return sum_of(
      schedule, pivots, collectives_of_lu(schedule, pivots, rates), rates,
      [](LuSteps& steps, const PanelStep& at) { return steps.of_lu(at); },
      [&](const auto& visit) { schedule.visit_steps(visit); });
}

LuCost cholesky_cost(const CholeskySchedule& schedule, const LuRates& rates) {
  return sum_of_cholesky(schedule, rates,
                         [&](const auto& visit) { schedule.blocks().visit_steps(visit); });
}

double cholesky_least_seconds(const CholeskySchedule& schedule, const LuRates& rates,
                              std::int64_t stretches) {
  if (rates.burst_bytes > 0) return 0;
  return sum_of_cholesky(
             schedule, rates,
             [&](const auto& visit) { schedule.blocks().visit_last_steps(stretches, visit); })
      .seconds.total();
}

double lu_memory(const PanelSchedule& schedule) {
  const double rows = static_cast<double>(schedule.local_rows(0));
  const double columns = static_cast<double>(schedule.local_columns(0));
  const double layers = schedule.layers();
  const double block =
      static_cast<double>(std::min({schedule.block(), schedule.m(), schedule.n()}));
  // With several layers, a rank first brings a share of the matrix, from which its layer takes its
  // part.
  const double share = layers > 1 ? rows * columns / layers : 0;
  // Four panels: arriving, in use, being factorised, packed. Three block rows: the same without
  // being factorised. The local gemm and the triangular solve pack some columns of the block row
  // once more each.
  constexpr double packed_columns = 4096;
  const double packed = 2 * std::min(columns, packed_columns) * block;
  return rows * columns + share + (4 * rows + 3 * columns + 4 * block) * block + packed;
}

double cholesky_least_words(double n, double ranks, double memory) {
  return ranks == 1 ? 0 : n * n * n / (3 * ranks * std::sqrt(memory));
}

}  // namespace cuboid::detail
