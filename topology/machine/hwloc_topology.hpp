#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include <hwloc.h>

namespace cuboid::detail {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using TopologyHandle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

/// What hwloc knows of the node that this process runs on; nullptr if it cannot tell.
TopologyHandle load_topology();

/// The same as hwloc's XML, which lstopo -i reads. Throws Error(unsupported) if hwloc cannot tell.
std::string hwloc_xml();

}  // namespace cuboid::detail
