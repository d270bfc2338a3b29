#pragma once

#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "models/simulator/transfer_graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// A sequence of collectives as the models see it: the messages that compile() makes for all ranks,
/// and their dependencies. A rank begins a collective when it has finished its part of the one
/// before.
class Transfers {
 public:
  using Id = TransferGraph::Id;

  explicit Transfers(int ranks);

  /// Adds a forest: the messages that compile() makes, with as many of an edge in flight. A
  /// receiver that combines takes `combine_seconds_per_byte`.
  void add(const Forest& forest, const Pipelining& pipelining, double combine_seconds_per_byte = 0);
  /// Adds rounds, in the runs of blocks that compile() makes. A receiver that combines takes
  /// `handling_seconds_per_byte`. With packed rounds it takes twice that: for unpacking, and for
  /// the packing of what it sends, as all ranks send as much as they receive.
  void add(const Rounds& rounds, const Conditions& conditions, const Pipelining& pipelining,
           double handling_seconds_per_byte = 0);
  /// Adds a barrier: no rank begins what follows before all ranks have finished what came before.
  void meet();

  const TransferGraph& graph() const { return graph_; }

 private:
  friend class TreeTransfers;
  /// Adds a message that starts after `after` and after what its sender did before this collective,
  /// which it adds to `after`.
  Id send(const Transfer& transfer, std::vector<Id>& after);
  void begin_collective();

  TransferGraph graph_;
  std::vector<std::optional<Id>> begun_after_;  ///< by rank, the end of the collective before
  std::vector<std::vector<Id>> part_;           ///< by rank, its transfers in this collective
};

}  // namespace cuboid::detail
