#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/shape.hpp>

#include <functional>
#include <optional>
#include <string>

namespace cuboid {

/// A rank's coordinate, as a vendor's interface provides it.
struct HandedCoordinate {
  Coordinate coordinate;
  std::optional<ShapeSpec> shape;  ///< the machine's or partition's, if the interface provides it
};

/// Options of discover(). The same on every rank, apart from what `coordinate` returns.
struct DiscoveryOptions {
  /// Overrides CUBOID_TOPOLOGY; has the same values.
  std::optional<std::string> topology;
  std::string topology_origin = "the topology argument";  ///< its origin, for messages
  /// Called once on every rank; overrides CUBOID_COORDINATE.
  std::function<HandedCoordinate()> coordinate;
  /// Files stored by administrators, which the first rank reads.
  std::string fabric_file = "/etc/cuboid/ibnetdiscover.txt";
  /// Slurm's file. If a topology.yaml lies beside it, that is read instead, as Slurm does.
  std::string slurm_file = "/etc/slurm/topology.conf";
  /// Reads the environment variables of other programs (SLURM_...); default: the process's
  /// variables.
  Environment::Lookup lookup;
};

}  // namespace cuboid
