#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/shape.hpp>

#include <functional>
#include <optional>
#include <string>

namespace cuboid {

/// A rank's place as a machine's vendor interface hands it out.
struct HandedCoordinate {
  Coordinate coordinate;
  std::optional<ShapeSpec> shape;  ///< of the whole machine or partition, where the interface tells
};

/// What the caller of discover() may set.
struct DiscoveryOptions {
  /// Goes before CUBOID_TOPOLOGY; the same values.
  std::optional<std::string> topology;
  std::string topology_origin = "the topology argument";  ///< for messages
  /// Called once on every rank; goes before CUBOID_COORDINATE.
  std::function<HandedCoordinate()> coordinate;
  /// Where the first rank looks for descriptions that administrators keep.
  std::string fabric_file = "/etc/cuboid/ibnetdiscover.txt";
  std::string slurm_file = "/etc/slurm/topology.conf";
  /// Variables that are not Cuboid's own (SLURM_...); the process's environment by default.
  Environment::Lookup lookup;
};

}  // namespace cuboid
