#pragma once

#include <cuboid/discovery.hpp>

#include "devices/cuda/cuda_device.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// A discovery as text: source and evidence, shape and rates, hardware of the hosts, placement of
/// the ranks, groups, the reasons why other sources did not apply, and the devices of this host.
/// Long lists are truncated.
std::string topo_text(const Discovery& discovery, const DevicesHere& devices);

/// A discovery as one JSON object. Keys:
///
/// - source, evidence: text
/// - shape: {extents: […], wraps: […], text}; null where the network is not a cuboid
/// - explanation: what the network is as a cuboid; null where the cables are unknown
/// - nodes: [{name, role: "host" | "switch", coordinate: […] | null, ranks: […]}]
/// - links: [{from, to, bits_per_second}], names, one per direction of a cable; null where a rate
///   is unknown
/// - ranks_per_node: the number of ranks on each node that has some; null where they differ or
///   there are no ranks
/// - coordinates: [[…], …], one per rank; null for a rank without one
/// - grids: {two, two_and_a_half}, each {extents, text, cost} of the process grid that fits best;
///   null where there is none
/// - groups: [{name, level, nodes: […]}]
/// - hosts: [{name, packages, numa_nodes, cores, threads_per_core, memory_bytes, caches: […]}]
/// - devices: [{number, name, memory_bytes, capability, pci}], of the host that prints
/// - bindings: [{cores: […], usable_cores}], one per rank
/// - skipped: [{source, reason}]
nlohmann::ordered_json topo_json(const Discovery& discovery, const DevicesHere& devices);

}  // namespace cuboid::detail::tools
