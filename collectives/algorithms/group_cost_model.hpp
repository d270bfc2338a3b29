#pragma once

#include "collectives/schedules/group_nodes.hpp"
#include "models/messages/hockney.hpp"
#include "models/messages/node_memory.hpp"
#include "models/messages/parameters.hpp"

#include <optional>

namespace cuboid::detail {

/// What a group's messages travel over.
struct GroupCostModel {
  GroupNodes nodes;
  Hockney network;            ///< of one message between nodes, on an otherwise idle network
  Hockney node;               ///< of one message within a node
  double ranks_per_core = 1;  ///< on a node; at least 1
  double overhead = NodeMemory{}.overhead;  ///< see NodeMemory
  double turn = NodeMemory{}.turn;
  double combine_beta = NodeMemory{}.combine_beta;
  /// How messages of any size behave within a node, alone and all ranks' at once; nullopt where it
  /// was not measured.
  std::optional<MeasuredMessages> node_messages = {};
  std::optional<MeasuredMessages> crowded_messages = {};
  std::optional<MeasuredMessages> fresh_messages = {};
  std::vector<MessageSample> combine_sizes = {};  ///< see Parameters
  std::vector<MessageSample> copy_sizes = {};     ///< likewise
  double injection_bytes_per_second = 0;          ///< out of a node over all cables; 0: no limit
  double burst_bytes = 0;                         ///< see TokenBuckets
  double incast_loss = 0;                         ///< see FairShares
  double network_overhead = 3e-6;  ///< seconds of cores that a message between nodes takes
  std::vector<MessageSample> crowded_network = {};  ///< see Parameters
  double network_turn = 12e-6;                      ///< likewise, of ranks that share cores

  int ranks() const { return nodes.ranks(); }
  /// What a group on one node communicates through, where each rank reads and writes so many
  /// different bytes, as caches are quicker than memory, in messages of so many each.
  NodeMemory memory(double touched_bytes = 0, double message_bytes = 0) const;
  /// Seconds that the cores of all ranks need for so many messages between nodes, of all ranks
  /// together, which carry so many bytes. A rank that shares its core sleeps until a message wakes
  /// it, which is work as well.
  double core_seconds(double messages, double bytes) const;
  /// Seconds of a core that one of them takes, both its ends together.
  double message_seconds(double bytes) const;
  /// What a node needs at least to send so many bytes, over however many cables.
  double injection_seconds(double bytes) const {
    return injection_bytes_per_second > 0 ? bytes / injection_bytes_per_second : 0;
  }
  /// What a message between nodes waits for in a collective, part of `network.alpha`: it was
  /// measured while all other ranks slept, but they, too, want their turns on the cores.
  double others_turns() const;
  /// The slowest way between two ranks of the group.
  const Hockney& slowest() const { return nodes.nodes() > 1 ? network : node; }
};

/// Those of a group, by what was measured; where something was not, by the links' rates and orders
/// of magnitude that hold for any machine. Pure.
/// @param parameters  nullptr where nothing was measured.
GroupCostModel group_cost_model_of(GroupNodes nodes, double ranks_per_core,
                                   const Parameters* parameters);

}  // namespace cuboid::detail
