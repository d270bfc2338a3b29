#pragma once

#include <cuboid/network.hpp>

#include <string>

namespace cuboid::detail::tools {

/// A network in the format that the ending of `path` names. Pure.
///
/// - `.dot`, `.gv`: a graph for Graphviz, an edge per cable with its rate
/// - `.json`: what CUBOID_TOPOLOGY=file:PATH reads
/// - `.xml`: a SimGrid platform with a link per direction of each cable, of no latency, which
///   discovery does not know; shortest paths
///
/// Throws Error(invalid_argument) that names the endings if `path` has another one, or if SimGrid
/// would need a rate that is unknown.
std::string exported(const Network& network, const std::string& path);

}  // namespace cuboid::detail::tools
