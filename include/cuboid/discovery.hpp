#pragma once

#include <cuboid/discovery_options.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>
#include <cuboid/network.hpp>
#include <cuboid/node.hpp>
#include <cuboid/placement.hpp>
#include <cuboid/recognition.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// Where knowledge of the network can come from, in the order it is asked for. What somebody states
/// goes before what is observed, and what is observed before what was written down once.
enum class Source {
  shape,        ///< CUBOID_TOPOLOGY=torus:4x4 (see parse_shape)
  file,         ///< CUBOID_TOPOLOGY=file:PATH: a network in JSON, ibnetdiscover's output, or a
                ///< topology.conf
  coordinates,  ///< every rank has a coordinate: CUBOID_COORDINATE, or a function of the caller
  kernel,       ///< the kernels' links and routes, on directly cabled clusters
  infiniband,   ///< ibnetdiscover's output where an administrator put it
  slurm,        ///< Slurm's topology.conf or SLURM_TOPOLOGY_ADDR: groups of hosts only
  flat,         ///< nothing is known: every host is a group of its own
};

/// The name by which CUBOID_TOPOLOGY selects a source, e.g. "kernel".
CUBOID_API std::string_view to_string(Source source);

/// A source that was asked and does not apply.
struct SkippedSource {
  Source source = Source::flat;
  std::string reason;
  bool operator==(const SkippedSource&) const = default;
};

/// What the machine is, as far as could be found out. All ranks of a job hold equal values.
struct CUBOID_API Discovery {
  Source source = Source::flat;
  std::string evidence;  ///< what it was seen in, and how sure that is
  Network network;
  /// The cuboid in the network; nullopt where the source does not know the cables.
  std::optional<Recognition> recognition;
  std::vector<int> node_of_rank;  ///< number in `network` of the host that each rank is on
  std::vector<NodeGroup> groups;
  std::vector<SkippedSource> skipped;  ///< in the order asked

  Hosts hosts;                    ///< the machines that the ranks really run on
  std::vector<Node> insides;      ///< one per host of `hosts`
  std::vector<Binding> bindings;  ///< one per rank

  /// The shape, where the network is a cuboid (with cables or nodes missing, maybe).
  std::optional<Shape> shape() const;
  /// The coordinate of a node of `network`, where there is a shape and the node has a place in it.
  std::optional<Coordinate> coordinate(int node) const;
};

/// Exchanges one message between all ranks of a job: gives every rank the bytes of each, by rank.
/// Collective.
using AllGather = std::function<std::vector<std::vector<std::byte>>(std::span<const std::byte>)>;

/// Finds out what machine the ranks of a job run on. Collective: every rank calls it; all_gather is
/// called once on each.
///
/// Sources are asked in the order of Source. CUBOID_TOPOLOGY or options.topology states a shape or
/// a file, or selects one source by name ("kernel", "infiniband", "slurm", "coordinates", "flat");
/// "auto" is as if it were not set.
///
/// Throws, on all ranks alike: Error(parse) for malformed content, Error(io) for a file asked for
/// that cannot be read, Error(mismatch) where ranks contradict each other, Error(unsupported) where
/// the source selected does not apply, Error(invalid_argument) where the ranks do not fit the
/// network that was stated.
CUBOID_API Discovery discover(int rank, int size, const AllGather& all_gather,
                              const Environment& environment, const DiscoveryOptions& options = {});

/// Where every rank runs in the shape found, its slot being its turn among the ranks of its place.
/// Where there is no shape, or a rank is outside it, all ranks are slots of a single node. Throws
/// Error(invalid_argument) where the discovery has no ranks.
CUBOID_API Placement placement_of(const Discovery& discovery);

}  // namespace cuboid
