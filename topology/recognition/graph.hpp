#pragma once

#include <cuboid/network.hpp>

#include <span>
#include <vector>

namespace cuboid::detail::recognition {

/// Two vertices that are cabled together, by one cable or several.
struct GraphEdge {
  int a = 0;
  int b = 0;
  std::vector<int> cables;  ///< their numbers in the network
};

/// One way to leave a vertex.
struct Neighbour {
  int vertex = 0;
  int edge = 0;
};

/// The network as a simple graph: what is left of it when parallel cables are put together and
/// hosts are put into the switches they hang off.
class Graph {
 public:
  /// A vertex per node of the network; or, where every host is cabled to one switch only, a vertex
  /// per switch.
  explicit Graph(const Network& network);

  int vertices() const { return static_cast<int>(neighbours_.size()); }
  const std::vector<GraphEdge>& edges() const { return edges_; }
  const GraphEdge& edge(int edge) const { return edges_[static_cast<std::size_t>(edge)]; }
  std::span<const Neighbour> neighbours(int vertex) const {
    return neighbours_[static_cast<std::size_t>(vertex)];
  }
  int degree(int vertex) const { return static_cast<int>(neighbours(vertex).size()); }
  /// The edge between two vertices, or -1.
  int edge_between(int a, int b) const;

  /// The vertex that stands for a node of the network; -1 for a host without cables beside switches
  /// with hosts.
  int vertex_of(int node) const { return vertex_of_[static_cast<std::size_t>(node)]; }
  /// The node of the network (a switch, where there are switches) that a vertex is.
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

/// The vertices of the largest connected part (the first of equals), ascending.
std::vector<int> largest_component(const Graph& graph);

}  // namespace cuboid::detail::recognition
