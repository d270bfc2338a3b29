#pragma once

#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/segmentation.hpp"
#include "models/simulator/simulator.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A lower bound of what simulate() takes for a schedule, from its messages: what the busiest rank
/// has to do, what the busiest link, source and memory carry, and how long the longest chain of
/// messages takes alone. Operations: messages times links on their ways.
class LeastSeconds {
 public:
  /// The platform is kept by reference.
  explicit LeastSeconds(const Platform& platform);

  double of(const Forest& forest, const Pipelining& pipelining, double combine_seconds_per_byte);
  /// Whatever its segments are.
  double of(const Forest& forest, double combine_seconds_per_byte);
  double of(const Rounds& rounds, const Conditions& conditions, const Pipelining& pipelining,
            double handling_seconds_per_byte);

 private:
  struct Way {
    std::vector<int> links = {};
    bool known = false;
  };

  // Messages that a tree's slice goes over an edge in, and the bytes of the last one.
  struct OverAnEdge {
    double messages = 1;
    double last_bytes = 0;
  };

  void begin();
  template <class OverEdge>
  double of_trees(const Forest& forest, double combine_seconds_per_byte, const OverEdge& over);
  // Adds messages from one rank to another, all of so many bytes together, each of which is worked
  // upon.
  void add(int from, int to, double messages, double bytes, double work_seconds);
  // Until one of so many bytes is there.
  double alone(int from, int to, double bytes) const;
  double byte_seconds(int from, int to) const;
  double busiest() const;

  int node_of(int rank) const { return platform_.node_of_rank[static_cast<std::size_t>(rank)]; }
  std::span<const int> way(int from, int to) const;

  const Platform& platform_;
  std::size_t nodes_;
  std::vector<double> link_seconds_per_byte_;
  mutable std::vector<Way> ways_;  // by pair of nodes
  std::vector<double> link_bytes_;
  std::vector<double> rank_seconds_;
  std::vector<double> source_bytes_;
  std::vector<double> node_bytes_;   // copied within
  std::vector<double> sent_bytes_;   // by node, to others
  std::vector<double> taken_bytes_;  // by node, from others
};

}  // namespace cuboid::detail
