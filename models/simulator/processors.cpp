#include "models/simulator/processors.hpp"

#include "models/simulator/simulator.hpp"

#include <algorithm>

namespace cuboid::detail {

Processors::Processors(int ranks, const Platform& platform, EventQueue& events)
    : events_(events),
      shared_(platform.cores > 0),
      free_(static_cast<std::size_t>(ranks), 0.0),
      cores_(shared_ ? ranks : 0, platform.cores, platform.context_switch_seconds) {}

void Processors::work(int rank, double seconds, SimulationEvent::Kind next, TransferGraph::Id id,
                      double now) {
  if (shared_) {
    const std::uint32_t is_sent = next == SimulationEvent::Kind::enter ? 1 : 0;
    begun(cores_.add(rank, {seconds, 2 * id + is_sent}, now));
    return;
  }
  double& free = free_[static_cast<std::size_t>(rank)];
  free = std::max(free, now) + seconds;
  events_.add(free, next, id);
}

Processors::Ended Processors::worked(int rank) {
  const std::uint32_t task = cores_.finish(rank);
  return {task / 2, task % 2 == 1 ? SimulationEvent::Kind::enter : SimulationEvent::Kind::done};
}

void Processors::begun(const std::optional<SharedCores::Begun>& task) {
  if (task)
    events_.add(task->end, SimulationEvent::Kind::worked, static_cast<std::uint32_t>(task->rank));
}

}  // namespace cuboid::detail
