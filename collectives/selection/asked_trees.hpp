#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/selection/network_lines.hpp"

#include <cstddef>
#include <map>
#include <unordered_map>
#include <vector>

namespace cuboid::detail {

/// Predicts the seconds of trees by asking some ranks for their parts. First the pipelines fill
/// along the deepest branch; then the busiest link or rank does the rest of its work. If all ranks
/// have blocks, or many nodes combine parts of an all-reduce, all these trees are under way at
/// once. Then the time is the longer of two: the time of one tree alone, and the work of the
/// busiest rank or link plus the way of the last tree.
class AskedTrees {
 public:
  /// Keeps its arguments by reference.
  AskedTrees(const Call& call, const Algorithm& algorithm, const Settings& settings,
             const Conditions& conditions);

  /// Bytes of the longest slice of any tree.
  std::size_t longest_slice() const { return longest_slice_; }
  /// Predicted seconds with segments of `segment_bytes`.
  double seconds(std::size_t segment_bytes);
  /// True if the trees take at least `seconds` with segments of any length, or if the root has more
  /// than `most_messages`. The ranks whose answers say most are asked first.
  bool are_too_much(double seconds, double most_messages);

 private:
  // The messages of a rank in trees with slices of one length.
  struct TreeWork {
    double slice = 0;
    double sent = 0;  // messages to other nodes, per segment
    double received = 0;
    double within = 0;  // messages received from its own node
    double combined = 0;
    double read = 0;  // messages that ranks of its node read from its memory
  };

  const ForestPart& followed_part(int rank);
  int root_of_followed();
  double way(Flow flow, double bytes);
  double exact_way(Flow flow, double bytes);
  bool has_a_longer_branch(double seconds, int most_edges);
  double least_handling(double messages) const;
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
  Settings followed_settings_;  // settings of one root
  Conditions followed_;         // one block
  std::unordered_map<int, ForestPart> parts_;
  double at_once_ = 1;
  std::size_t longest_slice_ = 1;
  std::vector<std::vector<TreeWork>> work_;  // by asked rank
  double on_link_ = 0;                       // bytes
  double taken_in_ = 0;                      // bytes that a node receives from other nodes
  double cost_of_combining_ = 0;             // seconds of the busiest rank
  struct KnownWay {
    double of_nothing = 0;
    double of_most = 0;
  };
  std::map<Flow, KnownWay> ways_;
};

}  // namespace cuboid::detail
