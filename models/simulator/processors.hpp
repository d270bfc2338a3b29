#pragma once

#include "models/simulator/event_queue.hpp"
#include "models/simulator/shared_cores.hpp"
#include "models/simulator/transfer_graph.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace cuboid::detail {

struct Platform;

/// The work of ranks in a simulation: sending, receiving and combining. A rank has a processor of
/// its own, which does one thing after the other, or shares cores with all other ranks.
class Processors {
 public:
  /// `events` is kept by reference.
  Processors(int ranks, const Platform& platform, EventQueue& events);

  bool shared() const { return shared_; }

  /// A rank works for a transfer as soon as its processor is free. Then the event `next` happens to
  /// the transfer: `enter` if the rank sends it, `done` if the rank receives it, or `copies`: then
  /// the processor is busy until copied().
  void work(int rank, double seconds, SimulationEvent::Kind next, TransferGraph::Id id, double now);

  /// A rank has copied a transfer, and works on what it has copied. Then the transfer is done.
  void copied(int rank, double seconds, TransferGraph::Id id, double now);

  /// A rank's own processor is busy for longer, without an event at the end.
  void delay(int rank, double seconds) {
    if (!shared_) at(rank).free += seconds;
  }

  /// A task on a shared core that has ended: the transfer, and what happens to it. The caller
  /// handles this at once, because all that follows from it belongs to the rank before it gives up
  /// its core. A task that copies goes on until copied().
  struct EndedTask {
    TransferGraph::Id id;
    SimulationEvent::Kind next;
  };
  EndedTask worked(int rank);
  void go_on(int rank, double now) { begun(cores_.go_on(rank, now)); }

 private:
  struct Task {
    double seconds;
    SimulationEvent::Kind next;
    TransferGraph::Id id;
  };
  struct Processor {
    double free = 0;             // when it will have finished its task
    bool copies = false;         // true if it will then copy
    std::deque<Task> then = {};  // tasks that wait for that copy
  };

  Processor& at(int rank) { return processors_[static_cast<std::size_t>(rank)]; }
  void begin(Processor& processor, const Task& task, double now);
  void begun(const std::optional<SharedCores::RunningTask>& task);

  EventQueue& events_;
  bool shared_;
  std::vector<Processor> processors_;  // by rank, if ranks have cores of their own
  SharedCores cores_;                  // empty if ranks have cores of their own
};

}  // namespace cuboid::detail
