#pragma once

#include "collectives/schedules/compile.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "models/simulator/transfer_graph.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// A sequence of collectives as the models see it: the messages of all ranks that compile() makes,
/// and their dependencies. A rank begins a collective when it has finished its part of the previous
/// one.
class Transfers {
 public:
  using Id = TransferGraph::Id;

  explicit Transfers(int ranks);

  /// The same messages as compile() makes, as many of an edge in flight. What is combined takes its
  /// receiver `combine_seconds_per_byte`.
  void add(const Forest& forest, const Pipelining& pipelining, double combine_seconds_per_byte = 0);
  /// The same runs of blocks. What is combined takes its receiver `handling_seconds_per_byte`, what
  /// is packed twice that: for its sender's copy, as all ranks send as much as they receive, and
  /// its own.
  void add(const Rounds& rounds, const Conditions& conditions, const Pipelining& pipelining,
           double handling_seconds_per_byte = 0);
  /// A barrier: no rank begins what follows before all have finished what came before.
  void meet();

  const TransferGraph& graph() const { return graph_; }

 private:
  friend class TreeTransfers;
  /// After `after` and what its sender did before this collective.
  Id send(const Transfer& transfer, std::vector<Id> after);
  void begin_collective();

  TransferGraph graph_;
  std::vector<std::optional<Id>> begun_after_;  ///< by rank: the end of the collective before
  std::vector<std::vector<Id>> part_;           ///< by rank: its transfers in this one
};

}  // namespace cuboid::detail
