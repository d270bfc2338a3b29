#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/selection/network_lines.hpp"

#include <cstddef>
#include <map>
#include <unordered_map>
#include <vector>

namespace cuboid::detail {

/// What trees take whose ranks are asked for their parts, some of them: until the pipelines are
/// full along the deepest branch, and then what the busiest link or rank has left to do. Blocks
/// that all ranks have, and parts of an all-reduce that many nodes combine, are under way at once:
/// then it is the longer of one's way alone and of what the busiest has to do, but for the way of
/// the last.
class AskedTrees {
 public:
  /// All are kept by reference.
  AskedTrees(const Call& call, const Algorithm& algorithm, const Settings& settings,
             const Conditions& conditions);

  /// Bytes of the longest slice of any tree.
  std::size_t longest_slice() const { return longest_slice_; }
  /// With segments of so many bytes.
  double seconds(std::size_t segment_bytes);
  /// Whether they take so long with segments of any length. Who is asked first tells most.
  bool takes_at_least(double seconds);

 private:
  // What a rank does in trees whose slices are equally long.
  struct WorkInTree {
    double slice = 0;
    double sent = 0;  // messages to other nodes, of a segment
    double received = 0;
    double within = 0;  // received, from its own node
    double combined = 0;
    double read = 0;  // of this rank's memory, within the node
  };

  const ForestPart& followed_part(int rank);
  int root_of_followed();
  double way(Flow flow, double bytes);
  double exact_way(Flow flow, double bytes);
  bool has_a_longer_branch(double seconds);
  double handled_by(const ForestPart& part) const;
  void look_at_ranks(const ForestPart& of_root);
  void add(std::size_t number, int rank, const ForestPart& part, NetworkLines::Load& links);
  double links_of_root() const;
  double handled(double segment) const;
  double busiest(double segment) const;

  const Call& call_;
  const Algorithm& algorithm_;
  const Settings& settings_;
  const Conditions& conditions_;
  Flow flow_;
  Settings followed_settings_;  // of one root
  Conditions followed_;         // one block
  std::unordered_map<int, ForestPart> parts_;
  double at_once_ = 1;
  std::size_t longest_slice_ = 1;
  std::vector<std::vector<WorkInTree>> work_;  // by rank that was asked
  double on_link_ = 0;                         // bytes
  double taken_in_ = 0;                        // by a node, from others
  double cost_of_combining_ = 0;               // seconds of the busiest rank
  struct RouteOfFlow {
    double of_nothing = 0;
    double of_most = 0;
  };
  std::map<Flow, RouteOfFlow> ways_;
};

}  // namespace cuboid::detail
