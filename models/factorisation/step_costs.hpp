#pragma once

#include "models/factorisation/factorisation_costs.hpp"
#include "models/factorisation/resting_links.hpp"

namespace cuboid::detail {

/// What a part of a step sends.
struct StepPart {
  double words = 0;     ///< of all ranks
  double messages = 0;  ///< of all ranks
  double seconds = 0;

  StepPart& operator+=(const StepPart& other);
  /// Adds `times` this part to a sum over steps, in words and messages of one of `ranks` ranks.
  void add_to(CommunicationCost& sum, double times, double ranks) const;
};

/// What a part of a step sends along lines of the grid.
struct SentOnLines {
  double chain = 0;     ///< messages of the critical path, one after the other
  double messages = 0;  ///< of all ranks
  double words = 0;     ///< of all ranks
  double on_link = 0;   ///< words over the links of a rank of the busiest line
  double in_mean = 0;   ///< the mean of that over all lines, which take turns in being the busiest
};

/// The lines of ranks along one axis of the grid, and the links of a rank along its line.
class LinesOfRanks {
 public:
  LinesOfRanks(double ranks, double links, const LuRates& rates);

  double ranks() const { return ranks_; }
  double links() const { return links_; }
  /// The share of a multicast's time in which the busiest link carries. On a line with a single
  /// link in use ranks take turns in sending, and the sender's own link rests.
  double busy() const { return links_ >= 2 ? 1 : (ranks_ - 1) / ranks_; }

  StepPart send(const SentOnLines& sent);
  void pass(double seconds) { resting_.pass(seconds); }

 private:
  double ranks_, links_;
  double seconds_per_message_, bytes_per_word_;
  RestingLinks resting_;
};

/// One step: what its parts send, and the seconds that the ranks concerned compute.
struct StepCost {
  StepPart panel = {};
  StepPart ahead = {};  ///< the multicast that follows the panel
  StepPart along = {};  ///< the multicast during which the panel may be factorised
  StepPart rows = {};
  StepPart interchange = {};
  double factorising = 0;
  double solving = 0;
  double update = 0;
};

/// Seconds of a core to multiply, at a share of a gemm's rate, and to move elements in memory.
inline double multiply_seconds(double multiplications, const LuRates& rates, double share = 1) {
  return multiplications / (share * rates.multiplications_per_second);
}
inline double moved(double elements, const LuRates& rates) {
  return elements * static_cast<double>(rates.element_bytes) * rates.seconds_per_byte_moved;
}

/// Seconds of a rank's core for collectives of `members` ranks.
double core_seconds_of_collectives(double collectives, double members, const LuRates& rates);

/// The seconds of a schedule's steps, as they are added.
class StepSum {
 public:
  /// Keeps its arguments.
  /// @param collectives  seconds of a rank's core for the collectives of a step.
  StepSum(const PanelSchedule& schedule, double collectives, const LuRates& rates)
      : schedule_(schedule), collectives_(collectives), rates_(rates) {}

  /// Adds a step that stands for `times` steps. Returns its seconds.
  double add(const StepCost& step, double times);
  const FactorisationSeconds& seconds() const { return sum_; }

 private:
  const PanelSchedule& schedule_;
  double collectives_;
  const LuRates& rates_;
  FactorisationSeconds sum_;
};

}  // namespace cuboid::detail
