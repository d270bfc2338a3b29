#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/selection/least_seconds.hpp"
#include "models/simulator/simulator.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// The platform on which the simulator runs a group's schedules: the cables, the nodes of the
/// ranks, the costs of messages, and the rate of memory for copies of `bytes` bytes. If nothing is
/// known of the network, it is a switch.
Platform platform_of(const GroupCostModel& cost_model, double bytes = 0);

/// Predicts the seconds of schedules of a call by the simulator, on the group's machine.
class Evaluator {
 public:
  /// @param call            must outlive the object
  /// @param most_transfers  the most transfers of a long pipeline that are simulated; each further
  ///         segment takes as long as a segment at the end of the simulated part. Long chains of
  ///         many trees, and rounds of many more messages, are extrapolated likewise, from shorter
  ///         chains and from shorter calls.
  explicit Evaluator(const Call& call, double most_transfers);

  double seconds(const Forest& forest, const Pipelining& pipelining);
  /// True if seconds() simulates all segments.
  bool is_of_all(const Forest& forest, const Pipelining& pipelining) const;
  double seconds(const Rounds& rounds, const Conditions& conditions, const Pipelining& pipelining);
  double seconds(const BoardPlan& plan, const Conditions& conditions, const Pipelining& pipelining);

  /// The operations of all simulations together (see SimulatedRun).
  std::size_t operations() const { return operations_; }

  /// A lower bound of a schedule's seconds. Without `pipelining` it holds for segments of any
  /// length.
  double least_seconds(const Forest& forest);
  double least_seconds(const Forest& forest, const Pipelining& pipelining);
  double least_seconds(const Rounds& rounds, const Conditions& conditions);
  double least_seconds(const Rounds& rounds, const Conditions& conditions,
                       const Pipelining& pipelining);

 private:
  void set(const Pipelining& pipelining);
  double on_cores(double seconds, double messages, double bytes) const;
  double combine_seconds_per_byte(Flow flow) const;
  std::size_t most_segments(const Forest& forest) const;
  std::size_t most_edges(const Forest& forest) const;
  SimulatedRun run(const TransferGraph& graph);
  template <class Add>
  double seconds_of_call(int ranks, const Add& add);
  double call_of(const Forest& forest, const Pipelining& pipelining);
  double call_of(const Rounds& rounds, const Conditions& conditions, const Pipelining& pipelining);
  double of_chains(const Forest& forest, const Pipelining& pipelining, std::size_t edges);
  double of_longer_call(const Rounds& rounds, const Conditions& conditions,
                        const Pipelining& pipelining, double share);
  SimulatedRun steady_run(const Forest& first, const Pipelining& pipelining);

  const Call& call_;
  GroupCostModel own_;  // includes the burst that idle links let through
  double most_transfers_;
  Platform platform_;
  LeastSeconds least_;
  std::size_t operations_ = 0;
};

}  // namespace cuboid::detail
