#pragma once

#include "collectives/forests/tree_cache.hpp"
#include "collectives/schedules/group_nodes.hpp"
#include "models/messages/hockney.hpp"
#include "models/messages/log_gp.hpp"
#include "models/messages/node_memory.hpp"
#include "models/messages/parameters.hpp"
#include "models/messages/usual_parameters.hpp"

#include <memory>
#include <optional>

namespace cuboid::detail {

/// The cost model of a group: its nodes, network and cores.
struct GroupCostModel {
  GroupNodes nodes;
  Hockney network;            ///< of one message over a link, on an otherwise idle network
  Hockney node;               ///< of one message within a node
  double ranks_per_core = 1;  ///< on a node; at least 1
  /// Whether all ranks are on one node and share memory for their collectives (see Board).
  bool shares_memory = false;
  double overhead = NodeMemory{}.overhead;  ///< see NodeMemory
  double context_switch = NodeMemory{}.context_switch;
  double combine_beta = NodeMemory{}.combine_beta;
  double copy_beta = NodeMemory{}.copy_beta;
  /// Until a core has a cache line that another core has just written.
  double line_seconds = usual_core_work.cache_line;
  /// The cost of messages of any size within a node, alone and while all ranks send; nullopt if it
  /// was not measured.
  std::optional<MeasuredMessages> node_messages = {};
  std::optional<MeasuredMessages> crowded_messages = {};
  std::optional<MeasuredMessages> fresh_messages = {};
  std::vector<MessageSample> combine_sizes = {};  ///< see Parameters
  std::vector<MessageSample> copy_sizes = {};     ///< likewise
  double hop_seconds = 0;                         ///< latency that each further link adds
  double injection_bytes_per_second = 0;          ///< out of a node over all cables; 0: no limit
  double burst_bytes = 0;                         ///< as measured; see TokenBuckets
  double incast_loss = 0;                         ///< see FairShares
  double overlap = usual_overlap;                 ///< see Parameters
  /// What all who read one rank's memory within a node get together, as measured; 0: it was not.
  double source_bytes_per_second = 0;
  /// Seconds of cores that a message between nodes takes.
  double network_overhead = usual_core_work.message_between_nodes;
  std::vector<MessageSample> crowded_network = {};  ///< see Parameters
  /// Likewise, of ranks that share cores.
  double network_context_switch = usual_crowded_network.context_switch;
  /// Of this group's network; copies share them.
  std::shared_ptr<TreeCache> tree_cache = std::make_shared<TreeCache>();

  int ranks() const { return nodes.ranks(); }
  /// Messages between two nodes, as the simulator counts them.
  LogGP between_nodes() const;
  /// The memory parameters of a group on one node, for a call in which each rank reads and writes
  /// so many different bytes (caches are faster than memory) in messages of so many bytes.
  NodeMemory memory(double touched_bytes = 0, double message_bytes = 0) const;
  /// The time that the cores of so many ranks, all of the group, need for a number of messages
  /// between nodes, of all ranks together, and their bytes. It includes waking ranks that share a
  /// core and sleep.
  double core_seconds(double messages, double bytes, int ranks) const;
  double core_seconds(double messages, double bytes) const {
    return core_seconds(messages, bytes, ranks());
  }
  /// CPU seconds of one such message, for both its ends.
  double message_seconds(double bytes) const;
  /// The minimum time in which a node sends so many bytes over all its cables.
  double injection_seconds(double bytes) const {
    return injection_bytes_per_second > 0 ? bytes / injection_bytes_per_second : 0;
  }
  /// The additional latency of a message between nodes in a collective: `network.alpha` was
  /// measured while all other ranks slept, but in a collective they use the cores, too.
  double context_switches_of_others() const;
  /// The slowest connection between two ranks of the group.
  const Hockney& slowest() const { return nodes.nodes() > 1 ? network : node; }
};

/// The cost model of a group: from measured parameters, else from the links' rates and typical
/// orders of magnitude. Pure.
/// @param parameters  nullptr if nothing was measured.
GroupCostModel group_cost_model_of(GroupNodes nodes, double ranks_per_core,
                                   const Parameters* parameters);

}  // namespace cuboid::detail
