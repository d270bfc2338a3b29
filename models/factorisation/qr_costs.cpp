#include "models/factorisation/step_costs.hpp"
#include "models/messages/tree_steps.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

class QrSteps {
 public:
  QrSteps(const PanelSchedule& schedule, const LuRates& rates)
      : schedule_(schedule),
        rates_(rates),
        down_(schedule.rows()),
        across_(schedule.columns()),
        along_rows_(across_, rates.links.rows, rates),
        along_columns_(down_, rates.links.columns, rates) {}

  StepCost cost(const PanelStep& step) {
    const double w = static_cast<double>(step.width());
    const double left = static_cast<double>(schedule_.m() - step.begin);
    const double right = static_cast<double>(schedule_.n() - step.end);
    // The ranks of the panel's process column that have rows of it.
    const double members =
        std::min(std::ceil(left / static_cast<double>(schedule_.block())), down_);
    const double levels = steps_of_tree(members);
    return {.panel = panel(w, members, levels),
            .ahead = multicast(w, left),
            .rows = sums(w, right),
            .factorising = factorising(w, left, levels),
            .update = multiply_seconds(
                2 * left / down_ * right / across_ * (w + usual_kernels.further_depth) +
                    w * w * right / across_,
                rates_)};
  }

  void pass(double seconds) {
    along_rows_.pass(seconds);
    along_columns_.pass(seconds);
  }

 private:
  /// Up and down the tree messages of the same length follow one another; T goes to all.
  StepPart panel(double w, double members, double levels) {
    const double triangle = w * (w + 1) / 2, others = members - 1;
    const double on_link = 3 * levels * w * w;
    const double shared = (down_ - 1) * (others > 0 ? 2 : 1) * triangle;
    return along_columns_.send({.chain = 2 * levels + steps_of_tree(down_),
                                .messages = 2 * others + down_ - 1,
                                .words = others * (triangle + w * w) + shared,
                                .on_link = on_link,
                                .in_mean = on_link / across_});
  }

  /// V and T along process rows.
  StepPart multicast(double w, double left) {
    if (across_ == 1) return {};
    const double mine = left / down_ * w + w * w;
    return along_rows_.send({.chain = steps_of_tree(across_),
                             .messages = (across_ - 1) * down_,
                             .words = (across_ - 1) * down_ * mine,
                             .on_link = mine,
                             .in_mean = along_rows_.busy() * mine});
  }

  /// VᴴA over process columns; the columns of the next panel are summed first, apart from others
  /// of their rank.
  StepPart sums(double w, double right) {
    if (down_ == 1) return {};
    const double all = 2 * (down_ - 1) * w * right, mine = all / (down_ * across_);
    const double blocks = std::ceil(right / static_cast<double>(schedule_.block()));
    const double lines = std::min(blocks, across_), sums = lines + (blocks > lines ? 1 : 0);
    // Each rank sends pieces once per step. A run of pieces that goes on behind the last one's end
    // with the first makes two messages.
    const double messages = 2 * (down_ - 1) * (steps_of_tree(down_) + 1);
    return along_columns_.send({.chain = 2 * steps_of_tree(down_),
                                .messages = sums * messages,
                                .words = all,
                                .on_link = mine,
                                .in_mean = mine});
  }

  double factorising(double w, double left, double levels) const {
    const double my_rows = left / down_;
    const auto factorise = [&](double multiplications) {
      return multiply_seconds(multiplications, rates_, usual_kernels.qr_panel);
    };
    const double own = factorise(my_rows * w * w) + moved(3 * my_rows * w, rates_);
    if (levels == 0) return own;
    // V is multiplied out. On each level two triangles become one, and the thin Q of this comes
    // down.
    return own + multiply_seconds(my_rows * w * w + w * w * w, rates_) +
           levels * (factorise(2 * w * w * w) + multiply_seconds(3 * w * w * w, rates_));
  }

  const PanelSchedule& schedule_;
  const LuRates& rates_;
  double down_, across_;
  LinesOfRanks along_rows_, along_columns_;
};

/// Seconds of a rank's core for the collectives of a step: the sums, a second time where the next
/// panel's columns go first, and the panel's collectives.
double collectives_of_qr(const PanelSchedule& schedule, const LuRates& rates) {
  return core_seconds_of_collectives(1 + 2.0 / schedule.columns(), schedule.rows(), rates) +
         core_seconds_of_collectives(1, schedule.columns(), rates);
}

}  // namespace

CommunicationCost QrCommunication::total() const {
  return {panel.words + multicast.words + sums.words,
          panel.messages + multicast.messages + sums.messages};
}

QrCost qr_cost(const PanelSchedule& schedule, const LuRates& rates) {
  const double ranks = double{1} * schedule.rows() * schedule.columns();
  QrSteps steps(schedule, rates);
  StepSum sum(schedule, collectives_of_qr(schedule, rates), rates);
  QrCommunication sent;
  schedule.visit_steps([&](const PanelStep& at, double times) {
    const StepCost step = steps.cost(at);
    step.panel.add_to(sent.panel, times, ranks);
    step.ahead.add_to(sent.multicast, times, ranks);
    step.rows.add_to(sent.sums, times, ranks);
    steps.pass(sum.add(step, times));
  });
  return {sum.seconds(), sent};
}

double qr_memory(const PanelSchedule& schedule) {
  const double rows = static_cast<double>(schedule.local_rows(0));
  const double columns = static_cast<double>(schedule.local_columns(0));
  const double block =
      static_cast<double>(std::min({schedule.block(), schedule.m(), schedule.n()}));
  // Two panels travel, and two copies are being factorised; of the block row VᴴA and T·VᴴA are in
  // memory.
  return rows * columns + (4 * rows + 3 * columns + 8 * block) * block;
}

double qr_operations(double m, double n) {
  const double longer = std::max(m, n), shorter = std::min(m, n);
  return 2 * longer * shorter * shorter - 2.0 / 3 * shorter * shorter * shorter;
}

double qr_least_words(double m, double n, double ranks, double memory) {
  if (ranks == 1) return 0;
  const double of_a_rank = qr_operations(m, n) / 2 / ranks;
  const double with_memory = of_a_rank / std::sqrt(8 * memory) - memory;
  // √8·M^(3/2) multiplications are all that M words allow.
  const double with_any_memory = std::pow(of_a_rank / std::sqrt(8.0), 2.0 / 3);
  const double shorter = std::min(m, n), triangle = shorter * (shorter + 1) / 2;
  return std::max(with_memory, (1 - 1 / ranks) * std::min(triangle, with_any_memory));
}

}  // namespace cuboid::detail
