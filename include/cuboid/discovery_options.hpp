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
  std::optional<ShapeSpec> shape;  ///< of the machine or partition, if the interface provides it
};

/// Options of discover(). The same on every rank, apart from what `coordinate` returns.
struct DiscoveryOptions {
  /// Overrides CUBOID_TOPOLOGY; same values.
  std::optional<std::string> topology;
  std::string topology_origin = "the topology argument";  ///< for messages
  /// Called once on every rank; overrides CUBOID_COORDINATE.
  std::function<HandedCoordinate()> coordinate;
  /// Files stored by administrators, which the first rank reads.
  std::string fabric_file = "/etc/cuboid/ibnetdiscover.txt";
  /// As in Slurm, a topology.yaml beside it is read instead.
  std::string slurm_file = "/etc/slurm/topology.conf";
  /// Reads variables of others (SLURM_...); default: the process's environment.
  Environment::Lookup lookup;
};

}  // namespace cuboid
