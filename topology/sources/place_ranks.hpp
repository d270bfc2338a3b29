#pragma once

#include <cuboid/network.hpp>

#include "topology/machine/hosts.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The nodes that ranks are placed on, and how they were placed.
struct RankPlaces {
  std::vector<int> node_of_rank;
  std::string how;  ///< the way of placing, as text; empty if there is nothing to explain
};

/// Throws Error(invalid_argument) if place_in_order() cannot place the job's ranks on a network
/// with `nodes` hosts. `what` names the network. Call it before a network is built that may be
/// large.
void require_places(std::int64_t nodes, const Hosts& hosts, const std::string& what);

/// Places ranks on the network's hosts in order, for networks of which nothing tells which host is
/// which. If the counts agree, the i-th host of the job is the i-th host of the network. Otherwise
/// equally many consecutive ranks go to each host (a machine that is imitated), and a rank that is
/// alone goes to the first host. Throws what require_places() throws.
RankPlaces place_in_order(const Network& network, const Hosts& hosts, const std::string& what);

/// The nodes that ranks are placed on by the names of their hosts.
struct NamedPlaces {
  std::vector<int> node_of_rank;     ///< empty if a host is missing
  std::vector<std::string> missing;  ///< hosts of the job that are not in the network
};

/// Places ranks by name. Two names are equal if they are the same, or if they are the same up to
/// the first dot and no other host shares this beginning.
NamedPlaces place_by_name(const Network& network, const Hosts& hosts);

}  // namespace cuboid::detail
