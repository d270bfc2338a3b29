#pragma once

#include <cuboid/export.hpp>
#include <cuboid/shape.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cuboid {

/// One direction of a cable.
struct Link {
  int from = 0;
  int to = 0;
  double bytes_per_second = 0;  ///< 0 if unknown
  bool operator==(const Link&) const = default;
};

/// The role of a vertex: a host runs ranks, a switch only forwards.
enum class Role { host, network_switch };

/// A graph of nodes and directed links with bandwidth. A cable is a pair of opposite links. Several
/// cables may join the same two nodes.
class CUBOID_API Network {
 public:
  /// Adds a node and returns its number (0, 1, 2, ...). Throws Error(invalid_argument) for an empty
  /// or used name.
  int add_node(std::string name, Role role = Role::host);

  /// Adds both links of a cable, each with this rate in bytes per second (0: unknown). Throws
  /// Error(invalid_argument) for unknown nodes, a self-loop, a rate that is negative or not finite,
  /// or more than 2^30 - 1 cables.
  void add_cable(int a, int b, double bytes_per_second = 0);

  int nodes() const { return static_cast<int>(names_.size()); }
  /// The name of a node. name(), role() and links_from() do not check the number.
  const std::string& name(int node) const { return names_[static_cast<std::size_t>(node)]; }
  Role role(int node) const { return roles_[static_cast<std::size_t>(node)]; }

  /// The node with this name; nullopt if there is none.
  std::optional<int> find(std::string_view name) const;

  /// The number of cables; cable i consists of the links 2i and 2i + 1.
  int cables() const { return static_cast<int>(links_.size() / 2); }
  /// All links; links 2i (a to b) and 2i + 1 (b to a) belong to cable i.
  std::span<const Link> links() const { return links_; }
  /// Numbers of the links that leave a node.
  std::span<const int> links_from(int node) const {
    return outgoing_[static_cast<std::size_t>(node)];
  }

  /// The network of a shape. Node i is the shape's node i (row-major), named by its coordinate,
  /// e.g. "2,0,1" ("node" if the shape has no axes). Cables are ordered by their first node, then
  /// by axis; link 2i goes in + direction. bytes_per_second has one rate per axis, or is empty if
  /// the rates are unknown. Throws Error(invalid_argument) for another number of rates, and for
  /// more than 2^20 nodes.
  static Network of_shape(const Shape& shape, std::span<const double> bytes_per_second = {});

 private:
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };

  std::vector<std::string> names_;
  std::unordered_map<std::string, int, NameHash, std::equal_to<>> numbers_;
  std::vector<Role> roles_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> outgoing_;
};

/// Nodes that are closer to each other than to other nodes: the nodes below one switch, the nodes
/// of a Slurm block, or a single host.
struct NodeGroup {
  std::string name;
  int level = 0;  ///< 0 is innermost; groups of one level do not overlap
  std::vector<int> nodes;
  bool operator==(const NodeGroup&) const = default;
};

}  // namespace cuboid
