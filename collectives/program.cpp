#include <cuboid/collectives/program.hpp>

#include <numeric>

namespace cuboid {

StepId ProgramBuilder::add(Step step, std::initializer_list<StepId> after) {
  const auto id = static_cast<StepId>(program_.steps.size());
  program_.steps.push_back(step);
  program_.dependencies.push_back(0);
  for (const StepId before : after) depend(id, before);
  return id;
}

void ProgramBuilder::depend(StepId step, StepId after) {
  if (after == none) return;
  dependencies_.push_back({after, step});
  ++program_.dependencies[step];
}

Address ProgramBuilder::scratch(std::size_t bytes) {
  const Address location{Area::scratch, program_.scratch_bytes};
  program_.scratch_bytes += (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  return location;
}

Program ProgramBuilder::finish() && {
  auto& first = program_.first_successor;
  first.assign(program_.steps.size() + 1, 0);
  for (const Dependency& dependency : dependencies_) ++first[dependency.before + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  program_.successors.resize(dependencies_.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const Dependency& dependency : dependencies_) {
    program_.successors[next[dependency.before]++] = dependency.after;
  }
  return std::move(program_);
}

}  // namespace cuboid
