#pragma once

#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/segmentation.hpp"
#include "models/simulator/simulator.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// A lower bound of the seconds that simulate() gives a schedule. It is computed from the
/// schedule's messages: the work of the busiest rank, the bytes of the busiest link, source and
/// memory, and the longest chain of messages, each as if it were alone. Number of operations: the
/// messages times the links on their ways.
class LeastSeconds {
 public:
  /// @param platform  must outlive the object
  explicit LeastSeconds(const Platform& platform);

  double of(const Forest& forest, const Pipelining& pipelining, double combine_seconds_per_byte);
  /// A lower bound for segments of any length.
  double of(const Forest& forest, double combine_seconds_per_byte);
  double of(const Rounds& rounds, const Conditions& conditions, const Pipelining& pipelining,
            double handling_seconds_per_byte);
  /// A lower bound for segments of any length. Takes less time.
  double of(const Rounds& rounds, const Conditions& conditions, double handling_seconds_per_byte);

 private:
  struct Way {
    std::vector<int> links = {};
    double slowest = 0;  // seconds per byte of the slowest link
  };

  // What a message takes that is alone.
  struct Alone {
    double of_no_bytes = 0;
    double of_a_byte = 0;
    double seconds(double bytes) const { return of_no_bytes + of_a_byte * bytes; }
  };

  // The number of messages in which a slice crosses an edge, and the bytes of the last one.
  struct OverAnEdge {
    double messages = 1;
    double last_bytes = 0;
  };

  void begin();
  template <class OverEdge>
  double of_trees(const Forest& forest, double combine_seconds_per_byte, const OverEdge& over);
  template <class ForEachMessage>
  double of_rounds(const Rounds& rounds, const Conditions& conditions,
                   double handling_seconds_per_byte, const ForEachMessage& for_each_message);
  // Adds messages from one rank to another.
  // @param bytes         the bytes of all messages together
  // @param work_seconds  the receiver's work on them
  void add(int from, int to, double messages, double bytes, double work_seconds);
  Alone alone(int from, int to) const;
  double byte_seconds(int from, int to) const;
  double busiest() const;

  int node_of(int rank) const { return platform_.node_of_rank[static_cast<std::size_t>(rank)]; }
  const Way& way(int from, int to) const;

  static constexpr std::size_t none_yet = 0;  // so ways_ begins with a way that nobody has

  const Platform& platform_;
  std::size_t nodes_;
  std::vector<double> link_seconds_per_byte_;
  mutable std::vector<std::size_t>
      way_of_pair_;  // by pair of nodes; none_yet before it is asked for
  mutable std::vector<Way> ways_;
  std::vector<double> link_bytes_;
  std::vector<double> rank_seconds_;
  std::vector<double> source_bytes_;
  std::vector<double> node_bytes_;   // bytes copied within a node
  std::vector<double> sent_bytes_;   // bytes that a node sends to other nodes
  std::vector<double> taken_bytes_;  // bytes that a node receives from other nodes
};

}  // namespace cuboid::detail
