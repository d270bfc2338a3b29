#include "models/simulator/processors.hpp"

#include "models/simulator/simulator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace cuboid::detail {

namespace {

using Kind = SimulationEvent::Kind;

// The events after a task on a shared core; a task's number encodes one of them and the transfer.
constexpr std::array ends = {Kind::enter, Kind::done, Kind::copies};

std::uint32_t number_of(TransferGraph::Id id, Kind next) {
  const auto end = std::ranges::find(ends, next) - ends.begin();
  return static_cast<std::uint32_t>(ends.size()) * id + static_cast<std::uint32_t>(end);
}

}  // namespace

Processors::Processors(int ranks, const Platform& platform, EventQueue& events)
    : events_(events),
      shared_(platform.cores > 0),
      processors_(shared_ ? 0 : static_cast<std::size_t>(ranks)),
      cores_(shared_ ? ranks : 0, platform.cores, platform.context_switch_seconds) {}

void Processors::work(int rank, double seconds, Kind next, TransferGraph::Id id, double now) {
  if (shared_) {
    begun(cores_.add(rank, {seconds, number_of(id, next)}, now));
  } else if (at(rank).copies) {
    at(rank).then.push_back({seconds, next, id});
  } else {
    begin(at(rank), {seconds, next, id}, now);
  }
}

void Processors::begin(Processor& processor, const Task& task, double now) {
  processor.free = std::max(processor.free, now) + task.seconds;
  processor.copies = task.next == Kind::copies;
  events_.add(processor.free, task.next, task.id);
}

void Processors::copied(int rank, double seconds, TransferGraph::Id id, double now) {
  if (shared_) {
    cores_.rename(rank, number_of(id, Kind::done));
    events_.add(now + seconds, Kind::worked, static_cast<std::uint32_t>(rank));
    return;
  }
  Processor& processor = at(rank);
  begin(processor, {seconds, Kind::done, id}, now);
  while (!processor.then.empty() && !processor.copies) {
    begin(processor, processor.then.front(), now);
    processor.then.pop_front();
  }
}

Processors::EndedTask Processors::worked(int rank) {
  const std::uint32_t task = cores_.number(rank);
  const auto kinds = static_cast<std::uint32_t>(ends.size());
  const EndedTask ended{task / kinds, ends[task % kinds]};
  if (ended.next != Kind::copies) cores_.finish(rank);
  return ended;
}

void Processors::begun(const std::optional<SharedCores::RunningTask>& task) {
  if (task) events_.add(task->end, Kind::worked, static_cast<std::uint32_t>(task->rank));
}

}  // namespace cuboid::detail
