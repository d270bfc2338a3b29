#include "collectives/schedules/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace cuboid::detail {

void ScheduleBuilder::reserve(std::size_t steps) {
  schedule_.steps.reserve(steps);
  schedule_.dependencies.reserve(steps);
  dependencies_.reserve(steps);
}

void ScheduleBuilder::reserve_times(std::size_t times) {
  const std::size_t steps = times * schedule_.steps.size();
  schedule_.steps.reserve(steps);
  schedule_.dependencies.reserve(steps);
  dependencies_.reserve(times * dependencies_.size() + steps);
}

StepId ScheduleBuilder::add(Step step, std::initializer_list<StepId> after) {
  const auto id = static_cast<StepId>(schedule_.steps.size());
  schedule_.steps.push_back(step);
  schedule_.dependencies.push_back(0);
  for (const StepId before : after) depend(id, before);
  return id;
}

void ScheduleBuilder::depend(StepId step, StepId after) {
  if (after == none) return;
  dependencies_.push_back({after, step});
  ++schedule_.dependencies[step];
}

Address ScheduleBuilder::scratch(std::size_t bytes) {
  const Address location{Area::scratch, schedule_.scratch_bytes};
  schedule_.scratch_bytes +=
      (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  return location;
}

std::uint32_t ScheduleBuilder::number_of(const Repetition& repetition) {
  std::vector<Repetition>& all = schedule_.repetitions;
  if (all.empty()) all.emplace_back();
  const auto number = static_cast<std::uint32_t>(all.size());
  const auto [known, is_new] = numbers_.emplace(repetition, number);
  if (is_new) all.push_back(repetition);
  return known->second;
}

Schedule ScheduleBuilder::finish() && {
  auto& first = schedule_.first_successor;
  first.assign(schedule_.steps.size() + 1, 0);
  for (const Dependency& dependency : dependencies_) ++first[dependency.before + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  schedule_.successors.resize(dependencies_.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const Dependency& dependency : dependencies_) {
    schedule_.successors[next[dependency.before]++] = dependency.after;
  }
  return std::move(schedule_);
}

Schedule followed_by(const Schedule& schedule, const Step& last) {
  ScheduleBuilder builder;
  builder.scratch(schedule.scratch_bytes);
  for (const Step& step : schedule.steps) builder.add(step, {});
  const StepId added = builder.add(last, {});
  for (StepId step = 0; step < added; ++step) {
    const auto first = schedule.first_successor[step];
    const auto end = schedule.first_successor[step + 1];
    for (auto i = first; i < end; ++i) builder.depend(schedule.successors[i], step);
    if (first == end) builder.depend(added, step);
  }
  Schedule longer = std::move(builder).finish();
  longer.repetitions = schedule.repetitions;
  longer.board_rows = schedule.board_rows;
  longer.board_traffic = schedule.board_traffic;
  longer.sends_at_a_time = schedule.sends_at_a_time;
  return longer;
}

bool Schedule::uses(Area area) const {
  return std::ranges::any_of(steps, [area](const Step& step) {
    using Kind = Step::Kind;
    const bool moves = step.kind == Kind::copy || step.kind == Kind::combine;
    const bool reads = moves || step.kind == Kind::send || step.kind == Kind::finish;
    const bool writes = moves || step.kind == Kind::receive || step.kind == Kind::finish;
    return step.bytes > 0 && ((reads && step.source.area == area) ||
                              (step.kind == Kind::combine && step.right.area == area) ||
                              (writes && step.destination.area == area));
  });
}

}  // namespace cuboid::detail
