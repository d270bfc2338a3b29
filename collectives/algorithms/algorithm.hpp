#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/evaluation/round_loads.hpp"
#include "collectives/evaluation/settings.hpp"
#include "collectives/evaluation/symmetric_rounds.hpp"
#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"
#include "collectives/schedules/pieces.hpp"
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

/// What an algorithm builds: trees, rounds, or a plan for the board (memory that all ranks share).
using ForestOrRounds = std::variant<Forest, Rounds, BoardPlan>;
/// One rank's part in what an algorithm builds; of a plan for the board, the whole plan.
using RankPart = std::variant<ForestPart, Rounds, BoardPlan>;

/// An algorithm for collectives.
struct Algorithm {
  std::string_view name;     ///< as in CUBOID_ALGORITHM
  std::string_view summary;  ///< one line of text
  std::vector<Operation> operations;
  /// True if contributions are combined in rank order, as non-commutative reductions require.
  bool keeps_rank_order;
  /// The settings worth trying, without the segments of trees, which the evaluator chooses. Empty
  /// if the algorithm cannot serve the group.
  std::vector<Settings> (*settings)(const Call& call);
  /// Builds the forest or rounds. The conditions are the call's. Rounds name the call's blocks by
  /// their numbers or, of an algorithm that cuts them, their pieces(). Rounds and pieces do not
  /// depend on the settings' pipelining, which cuts messages later.
  ForestOrRounds (*build)(const Call& call, const Conditions& conditions, const Settings& settings);
  /// One rank's part in what build() makes, by arithmetic, whatever the number of ranks.
  RankPart (*part)(const Call& call, const Conditions& conditions, const Settings& settings,
                   int rank);
  /// The pieces into which the blocks of a call are cut, in the order in which they lie in
  /// messages; null: blocks are not cut.
  Pieces (*pieces)(const Call& call, const Conditions& conditions,
                   const Settings& settings) = nullptr;
  /// All-to-all: the shape in which blocks are numbered by the distance to their destination, so
  /// that all ranks have equal parts; null: blocks are not numbered so.
  Shape (*distances)(const Call& call) = nullptr;
  /// For rounds in which all ranks do the same: the messages of one rank, without a list of blocks.
  /// Null, or nullopt: ranks do different things.
  std::optional<SymmetricRounds> (*symmetric)(const Call& call, const Settings& settings) = nullptr;
  /// For other rounds: the load of each round, if it is known without asking ranks for their parts;
  /// null: ranks must be asked.
  std::vector<RoundLoad> (*loads)(const Call& call, const Settings& settings) = nullptr;
  /// True if data goes through memory that all ranks share: build() makes a BoardPlan.
  bool on_board = false;

  bool serves(Operation operation) const;
};

/// All algorithms.
std::span<const Algorithm> algorithms();
/// The conditions that the algorithm uses with these settings: with blocks cut into its pieces, or
/// unchanged if it does not cut blocks.
Conditions in_pieces_of(const Algorithm& algorithm, const Call& call, Conditions conditions,
                        const Settings& settings);
/// The algorithm with a name; nullptr if there is none.
const Algorithm* find_algorithm(std::string_view name);

/// An algorithm chosen for a call.
struct Choice {
  const Algorithm* algorithm = nullptr;
  Settings settings;
  double seconds = 0;
  /// The algorithm that a rule names, which another one replaces if it cannot serve the call;
  /// nullptr if no rule applies.
  const Algorithm* demanded = nullptr;
};

}  // namespace cuboid::detail
