#pragma once

#include "collectives/algorithms/group_cost_model.hpp"
#include "collectives/forests/grouped.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// A call of a collective in a group, as algorithms see it.
struct Call {
  const Collective& collective;
  const GroupCostModel& cost_model;

  int ranks() const { return cost_model.ranks(); }
  Operation operation() const { return collective.operation; }
  std::size_t element_bytes() const { return collective.type.bytes(); }
  /// The message; of operations with a block per rank, all blocks of this rank together.
  std::size_t bytes() const;
  Flow flow() const;
};

/// What an algorithm leaves open. Each uses the numbers it knows.
struct Settings {
  Pipelining pipelining = {};
  int colours = 1;                           ///< trees that a message is shared among
  Colours colour_set = Colours::every_link;  ///< which trees
  std::vector<TreeLevel> levels = {};        ///< of a hierarchy
  int radix = 2;                             ///< of a k-nomial tree
  int roots = 1;                             ///< nodes at which parts of a message are combined
};

/// Settings and what they should cost.
struct CostEstimate {
  Settings settings;
  double seconds = 0;
};

using ForestOrRounds = std::variant<Forest, Rounds>;

/// One way to run collectives.
struct Algorithm {
  std::string_view name;     ///< as in CUBOID_ALGORITHM
  std::string_view summary;  ///< one line for people
  std::vector<Operation> operations;
  /// Contributions are combined in the order of ranks, as operations that do not commute need.
  bool keeps_rank_order;
  /// The cheapest settings under the model; nullopt where it cannot serve the group.
  std::optional<CostEstimate> (*price)(const Call& call);
  /// Who sends what to whom. The conditions is the call's, its one block cut into pieces(call)
  /// where the algorithm wants that.
  ForestOrRounds (*build)(const Call& call, const Conditions& conditions, const Settings& settings);
  /// Into how many pieces the one block of a message is cut before it is built; null: it is not.
  int (*pieces)(const Call& call) = nullptr;
  /// Of an all-to-all: blocks are numbered by how many ranks up they go, so that all ranks have
  /// equal parts.
  bool by_distance = false;

  bool serves(Operation operation) const;
};

/// All there are.
std::span<const Algorithm> algorithms();
/// The one of a name; nullptr where there is none.
const Algorithm* find_algorithm(std::string_view name);

/// An algorithm chosen for a call.
struct Choice {
  const Algorithm* algorithm = nullptr;
  Settings settings;
  double seconds = 0;
  /// The one a rule demanded and that cannot serve the call; nullptr where there is none.
  const Algorithm* instead_of = nullptr;
};

}  // namespace cuboid::detail
