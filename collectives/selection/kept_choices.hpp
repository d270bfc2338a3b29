#pragma once

#include "collectives/selection/selection.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// The call that a choice is made for: its lengths are rounded up to the next of eight per octave,
/// and on a torus its root is rank 0, from which all look alike. Powers of two stay as they are.
Collective class_of(const Collective& collective, const GroupCostModel& cost_model);

/// What select() chose for a communicator's last calls. Simulating algorithms takes milliseconds,
/// and programs such as factorisations never make a call of the same length twice: calls of one
/// class share a choice. It depends on the class alone, not on which call came first, so all ranks
/// choose alike.
class KeptChoices {
 public:
  /// As select(). Where a rule demands an algorithm, the class does not matter.
  Choice select(const Collective& collective, const GroupCostModel& cost_model,
                const AlgorithmRules& rules);

  std::size_t size() const { return kept_.size(); }

 private:
  struct CachedChoice {
    Collective its_class;
    Choice choice;
  };
  static constexpr std::size_t most = 512;
  std::list<CachedChoice> kept_;  // the last one used comes first
};

/// The choices of a rank's groups on one machine. Groups whose nodes fill equal boxes in the same
/// way share them: the parallel lines of a torus, and those that are made again for the next
/// factorisation.
class ChoicesOfGroups {
 public:
  /// Those of a group, others' where it is like them.
  std::shared_ptr<KeptChoices> of(const GroupNodes& nodes);

 private:
  struct Box {
    Shape shape;
    std::vector<double> axis_bytes_per_second;
    double link_bytes_per_second;
    std::vector<int> node_of_rank;
    bool operator==(const Box&) const = default;
  };
  struct Known {
    Box box;
    std::shared_ptr<KeptChoices> choices;
  };
  static constexpr std::size_t most = 16;
  std::list<Known> known_;  // the last one used comes first
};

}  // namespace cuboid::detail
