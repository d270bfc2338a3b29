#include "models/factorisation/step_costs.hpp"

#include "models/messages/tree_steps.hpp"
#include "models/multiplication/overlap.hpp"

#include <algorithm>

namespace cuboid::detail {

StepPart& StepPart::operator+=(const StepPart& other) {
  words += other.words;
  messages += other.messages;
  seconds += other.seconds;
  return *this;
}

void StepPart::add_to(CommunicationCost& sum, double times, double ranks) const {
  sum.words += times * words / ranks;
  sum.messages += times * messages / ranks;
}

LinesOfRanks::LinesOfRanks(double ranks, double links, const LuRates& rates)
    : ranks_(ranks),
      links_(links),
      seconds_per_message_(rates.network.alpha),
      bytes_per_word_(static_cast<double>(rates.element_bytes)),
      resting_(rates.network.beta / links, links * rates.burst_bytes) {}

StepPart LinesOfRanks::send(const SentOnLines& sent) {
  const double carried =
      resting_.carry(sent.on_link * bytes_per_word_, sent.in_mean * bytes_per_word_);
  return {sent.words, sent.messages, sent.chain * seconds_per_message_ + carried};
}

double core_seconds_of_collectives(double collectives, double members, const LuRates& rates) {
  if (members == 1) return 0;
  return collectives *
         (rates.seconds_per_collective + steps_of_tree(members) * rates.seconds_per_tree_step);
}

double StepSum::add(const StepCost& step, double times) {
  const double down = schedule_.rows(), across = schedule_.columns();
  // The part of the panel and of its multicast that does not overlap with the other multicast and
  // the update.
  const double factorised = step.panel.seconds + step.factorising;
  const double ahead = factorised + step.ahead.seconds, along = step.along.seconds;
  const double seen = std::max(factorised / across, ahead - along - step.update);
  const double rows = step.rows.seconds + step.solving;
  if (ahead > 0) {
    sum_.panel += times * seen * factorised / ahead;
    sum_.multicast += times * seen * step.ahead.seconds / ahead;
  }
  sum_.multicast += times * along;
  sum_.rows += times * rows;
  sum_.update += times * step.update;
  sum_.collectives += times * collectives_;
  sum_.interchange += times * step.interchange.seconds;

  double words = 0;
  for (const StepPart* part :
       {&step.panel, &step.ahead, &step.along, &step.rows, &step.interchange})
    words += part->words;
  const double bytes =
      words / (down * across * schedule_.layers()) * static_cast<double>(rates_.element_bytes);
  const double path = rows + along + step.update + seen + collectives_;
  const double cores =
      rates_.ranks_per_core * (step.update + step.solving / down + step.factorising / across +
                               collectives_ + bytes * rates_.core_seconds_per_byte);
  const double carried =
      step.rows.seconds + std::max(along, step.panel.seconds + step.ahead.seconds);
  const double at_best = std::max(path, cores);
  const double seconds =
      partly_overlapped({std::max(at_best, carried + cores), at_best}, rates_.overlap);
  sum_.cores += times * (seconds - path);
  return seconds;
}

}  // namespace cuboid::detail
