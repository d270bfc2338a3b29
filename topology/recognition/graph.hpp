#pragma once

#include <cuboid/network.hpp>

#include <span>
#include <vector>

namespace cuboid::detail::recognition {

/// Two vertices that one or several cables join.
struct GraphEdge {
  int a = 0;
  int b = 0;
  std::vector<int> cables;  ///< the numbers of these cables in the network
};

/// A neighbour of a vertex, and the edge that leads to it.
struct Neighbour {
  int vertex = 0;
  int edge = 0;
};

/// The network as a simple graph: parallel cables are one edge, and hosts belong to the vertex of
/// the switch that they are attached to.
class Graph {
 public:
  /// Makes a vertex per node of the network. If every host is cabled to one switch only, it makes a
  /// vertex per switch instead.
  explicit Graph(const Network& network);

  int vertices() const { return static_cast<int>(neighbours_.size()); }
  const std::vector<GraphEdge>& edges() const { return edges_; }
  const GraphEdge& edge(int edge) const { return edges_[static_cast<std::size_t>(edge)]; }
  std::span<const Neighbour> neighbours(int vertex) const {
    return neighbours_[static_cast<std::size_t>(vertex)];
  }
  int degree(int vertex) const { return static_cast<int>(neighbours(vertex).size()); }
  /// The edge between two vertices; -1 if there is none.
  int edge_between(int a, int b) const;

  /// The vertex that stands for a node of the network. -1 for a host without cables, if the
  /// vertices are switches.
  int vertex_of(int node) const { return vertex_of_[static_cast<std::size_t>(node)]; }
  /// The node of the network that a vertex stands for (a switch, if the vertices are switches).
  int node_of(int vertex) const { return node_of_[static_cast<std::size_t>(vertex)]; }
  bool through_switches() const { return through_switches_; }

 private:
  void place_nodes(const Network& network);

  std::vector<GraphEdge> edges_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<int> vertex_of_;
  std::vector<int> node_of_;
  bool through_switches_ = false;
};

/// The vertices of the largest connected part, ascending; the first of several equally large parts.
std::vector<int> largest_component(const Graph& graph);

}  // namespace cuboid::detail::recognition
