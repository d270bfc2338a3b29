#pragma once

#include <cuboid/discovery_options.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>
#include <cuboid/grid.hpp>
#include <cuboid/network.hpp>
#include <cuboid/node.hpp>
#include <cuboid/recognition.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// Sources of knowledge about the network, in the order in which they are asked: stated before
/// observed, observed before recorded.
enum class Source {
  shape,  ///< CUBOID_TOPOLOGY=torus:4x4 (see parse_shape)
  /// CUBOID_TOPOLOGY=file:PATH: a network in JSON, ibnetdiscover's output, or a topology.conf or
  /// topology.yaml of Slurm.
  file,
  coordinates,  ///< every rank's coordinate: CUBOID_COORDINATE, or a function of the caller
  kernel,       ///< the kernels' links and routes, on directly cabled clusters
  infiniband,   ///< ibnetdiscover's output, stored by an administrator
  /// Slurm's topology.yaml or topology.conf, or SLURM_TOPOLOGY_ADDR: groups of hosts only.
  slurm,
  flat,  ///< none of these: every host is a group of its own
};

/// The name by which CUBOID_TOPOLOGY selects a source, e.g. "kernel".
CUBOID_API std::string_view to_string(Source source);

/// A source that does not apply, and why.
struct SkippedSource {
  Source source = Source::flat;
  std::string reason;
  bool operator==(const SkippedSource&) const = default;
};

/// The result of a discovery. Equal on all ranks of a job.
struct CUBOID_API Discovery {
  Source source = Source::flat;
  std::string evidence;             ///< what it is based on, and how certain it is
  std::vector<std::string> doubts;  ///< parts of the source passed over, and why; one line each
  Network network;                  ///< the graph of nodes and cables that the source describes
  /// The cuboid in the network; nullopt if the source does not know the cables.
  std::optional<Recognition> recognition;
  std::vector<int> node_of_rank;  ///< the node in `network` of each rank's host
  std::vector<NodeGroup> groups;  ///< groups of nodes of `network`, as far as the source knows them
  /// The bytes that every link carries at once after a rest, beyond its rate (the kernels' token
  /// buckets); 0 if unknown.
  double burst_bytes = 0;
  std::vector<SkippedSource> skipped;  ///< in the order in which they were asked

  Hosts hosts;                    ///< the machines that the ranks actually run on
  std::vector<Node> insides;      ///< one per host of `hosts`
  std::vector<Binding> bindings;  ///< one per rank

  /// The shape, if the network is a cuboid, possibly with missing cables or nodes.
  std::optional<Shape> shape() const;
  /// The coordinate of a node of `network`, if there is a shape and the node is part of it.
  std::optional<Coordinate> coordinate(int node) const;
};

/// Gathers one message per rank, of any length, on every rank, and returns them by rank.
/// Collective.
using AllGather = std::function<std::vector<std::vector<std::byte>>(std::span<const std::byte>)>;

/// Discovers the machine that the ranks of a job run on. Collective; all_gather is called once on
/// each rank. Communicators call it themselves.
/// @param rank  this rank's number, 0 to size - 1.
///
/// Sources are asked in the order of Source. CUBOID_TOPOLOGY or options.topology states a shape or
/// a file, or selects one source by name ("kernel", "infiniband", "slurm", "coordinates", "flat");
/// "auto" has the same effect as no value.
///
/// Throws on all ranks: Error(parse) for malformed content, Error(io) if a given file cannot be
/// read, Error(mismatch) if ranks contradict each other, Error(unsupported) if the selected source
/// does not apply, Error(invalid_argument) if the ranks do not fit the given network.
CUBOID_API Discovery discover(int rank, int size, const AllGather& all_gather,
                              const Environment& environment, const DiscoveryOptions& options = {});

/// The placement of all ranks in the discovered shape. Ranks of one node get its slots in rank
/// order. Without a shape, or if a rank is outside it, all ranks are slots of a single node. Throws
/// Error(invalid_argument) if the discovery has no ranks.
CUBOID_API Placement placement_of(const Discovery& discovery);

}  // namespace cuboid
