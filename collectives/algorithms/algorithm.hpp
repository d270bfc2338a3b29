#pragma once

#include "collectives/algorithms/group_cost_model.hpp"
#include "collectives/forests/grouped.hpp"
#include "collectives/forests/rectangular.hpp"
#include "collectives/rounds/bruck.hpp"
#include "collectives/rounds/butterfly.hpp"
#include "collectives/schedules/compile.hpp"
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

/// A call of a collective in a group, as algorithms see it. What prices ask for again and again is
/// counted once.
class Call {
 public:
  Call(const Collective& of, const GroupCostModel& in);

  const Collective& collective;
  const GroupCostModel& cost_model;

  int ranks() const { return ranks_; }
  /// As many as the node with most of them has.
  int most_on_a_node() const { return most_on_a_node_; }
  Operation operation() const { return collective.operation; }
  std::size_t element_bytes() const { return collective.type.bytes(); }
  /// Size of the message; for operations with a block per rank, of all blocks of this rank
  /// together.
  std::size_t bytes() const { return bytes_; }
  Flow flow() const;
  /// As GroupCostModel::core_seconds() of all ranks.
  double core_seconds(double messages, double bytes) const {
    return cost_model.core_seconds(messages, bytes, ranks_);
  }

 private:
  int ranks_ = 0;
  int most_on_a_node_ = 0;
  std::size_t bytes_;
};

/// Settings of algorithms. Each algorithm uses those that concern it.
struct Settings {
  Pipelining pipelining = {};
  int colours = 1;                           ///< trees that a message is shared among
  Colours colour_set = Colours::every_link;  ///< which trees
  std::vector<TreeLevel> levels = {};        ///< of a hierarchy
  int radix = 2;                             ///< of a k-nomial tree
  int roots = 1;                             ///< nodes at which parts of a message are combined
  int scattering = 0;                        ///< steps of a butterfly that cut what is left
  Folding folding = {};                      ///< what a butterfly does with large extents
  BruckDigits digits = {};                   ///< of an all-to-all's distances
};

/// Settings and their predicted cost.
struct CostEstimate {
  Settings settings;
  double seconds = 0;
};

using ForestOrRounds = std::variant<Forest, Rounds>;
/// One rank's part in either.
using RankPart = std::variant<ForestPart, Rounds>;

/// An algorithm for collectives.
struct Algorithm {
  std::string_view name;     ///< as in CUBOID_ALGORITHM
  std::string_view summary;  ///< one line of text
  std::vector<Operation> operations;
  /// Whether contributions are combined in rank order, as non-commutative reductions require.
  bool keeps_rank_order;
  /// The cheapest settings under the model; nullopt if it cannot serve the group.
  std::optional<CostEstimate> (*price)(const Call& call);
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
  /// Whether price() agrees with the simulator so well that nobody need simulate.
  bool priced_closely = false;

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
