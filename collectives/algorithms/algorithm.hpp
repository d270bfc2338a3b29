#pragma once

#include "collectives/evaluation/call.hpp"
#include "collectives/evaluation/round_loads.hpp"
#include "collectives/evaluation/settings.hpp"
#include "collectives/evaluation/symmetric_rounds.hpp"
#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/parts.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/slices.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// Or through memory that all share.
using ForestOrRounds = std::variant<Forest, Rounds, BoardPlan>;
/// One rank's part in either; of a plan for the board all of it.
using RankPart = std::variant<ForestPart, Rounds, BoardPlan>;

/// An algorithm for collectives.
struct Algorithm {
  std::string_view name;     ///< as in CUBOID_ALGORITHM
  std::string_view summary;  ///< one line of text
  std::vector<Operation> operations;
  /// Whether contributions are combined in rank order, as non-commutative reductions require.
  bool keeps_rank_order;
  /// What is worth trying, but for the segments of trees, which the evaluator chooses; nothing if
  /// the algorithm cannot serve the group.
  std::vector<Settings> (*settings)(const Call& call);
  /// Builds the forest or rounds. The conditions are the call's; their blocks are pieces() if the
  /// algorithm asks for that.
  ForestOrRounds (*build)(const Call& call, const Conditions& conditions, const Settings& settings);
  /// One rank's part in what build() makes, by arithmetic, whatever the number of ranks.
  RankPart (*part)(const Call& call, const Conditions& conditions, const Settings& settings,
                   int rank);
  /// The pieces that the blocks of a call are cut into, in the order in which they lie in messages;
  /// null: blocks are not cut.
  std::vector<Piece> (*pieces)(const Call& call, const Conditions& conditions,
                               const Settings& settings) = nullptr;
  /// All-to-all: the shape in which blocks are numbered by the distance to their destination, so
  /// that all ranks have equal parts; null: they are not.
  Shape (*distances)(const Call& call) = nullptr;
  /// Of rounds in which all ranks do the same: the messages of one, without a list of blocks; null,
  /// or nullopt: they do not.
  std::optional<SymmetricRounds> (*symmetric)(const Call& call, const Settings& settings) = nullptr;
  /// Of other rounds whose ranks need not be asked one by one: what is under way in each; null:
  /// ask.
  std::vector<RoundLoad> (*loads)(const Call& call, const Settings& settings) = nullptr;
  /// Whether it goes through memory that all ranks share: what is built is a BoardPlan.
  bool on_board = false;

  bool serves(Operation operation) const;
};

/// All algorithms.
std::span<const Algorithm> algorithms();
/// The conditions as the algorithm has them with these settings: in its pieces, or as they are.
Conditions in_pieces_of(const Algorithm& algorithm, const Call& call, Conditions conditions,
                        const Settings& settings);
/// The algorithm with a name; nullptr if there is none.
const Algorithm* find_algorithm(std::string_view name);

/// An algorithm chosen for a call.
struct Choice {
  const Algorithm* algorithm = nullptr;
  Settings settings;
  double seconds = 0;
  /// The algorithm that a rule requested but that cannot serve the call; nullptr if there is none.
  const Algorithm* instead_of = nullptr;
};

}  // namespace cuboid::detail
