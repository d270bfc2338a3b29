#pragma once

#include <cuboid/network.hpp>

#include <string>

namespace cuboid::detail::tools {

/// A network in the format that the ending of `path` names.
///
/// - `.dot`, `.gv`: a graph for Graphviz, with an edge per cable with its rate
/// - `.json`: a file that CUBOID_TOPOLOGY=file:PATH reads
/// - `.xml`: a SimGrid platform of shortest paths, with a link per direction of each cable. The
///   links have no latency, because discovery does not know latencies.
/// - `.hwloc`: hwloc's XML of the node that this process runs on, in place of the network
///
/// Throws Error(invalid_argument), which names the endings, if `path` has another ending, or if
/// SimGrid would need a rate that is unknown.
std::string exported(const Network& network, const std::string& path);

}  // namespace cuboid::detail::tools
