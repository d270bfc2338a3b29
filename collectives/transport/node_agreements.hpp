#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include "collectives/carrier/peer_information.hpp"
#include "collectives/node/board.hpp"
#include "collectives/node/node_messages.hpp"
#include "collectives/node/waiting.hpp"

#include <memory>
#include <optional>

namespace cuboid::detail {

/// The ways that messages may go between the ranks of this rank's node.
struct NodeWays {
  /// Whether every rank of the node may read the memory of every other.
  bool readable = false;
  /// Numbered by place in ranks_of_node(); nullopt where the node has no mailboxes. Only ranks have
  /// them that poll while they wait, or that the carrier does not wake.
  std::optional<NodeMessages> messages;
};

/// Sender and receiver must choose the same way for a message, so all ranks of a node agree on the
/// ways that are open to each of them. Collective over the bootstrap.
NodeWays agree_on_ways(Bootstrap& bootstrap, const PeerInformation& ranks, WaitPolicy policy,
                       bool carrier_wakes, const Logger& logger);

/// Memory for the collectives of this node's ranks, in which a rank's place is that in
/// ranks_of_node(); nullptr where the node has one rank, or not every rank can map it. Collective
/// over the bootstrap.
std::shared_ptr<BoardMemory> agree_on_board(Bootstrap& bootstrap, const PeerInformation& ranks,
                                            const Logger& logger);

}  // namespace cuboid::detail
