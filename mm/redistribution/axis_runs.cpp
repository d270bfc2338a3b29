#include "mm/redistribution/axis_runs.hpp"

#include "mm/matrix/ranks.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

using Cuts = std::span<const std::int64_t>;

std::span<const int> found_in(const std::map<int, std::vector<int>>& lists, int of) {
  const auto list = lists.find(of);
  return list == lists.end() ? std::span<const int>() : std::span<const int>(list->second);
}

}  // namespace

std::int64_t extent_of(const AxisDistribution& axis) {
  const auto* const cyclic = std::get_if<BlockCyclic<Row>>(&axis);
  return cyclic != nullptr ? cyclic->extent() : std::get<Cuts>(axis).back();
}

int classes_of(const AxisDistribution& axis) {
  const auto* const cyclic = std::get_if<BlockCyclic<Row>>(&axis);
  return cyclic != nullptr ? cyclic->processes()
                           : static_cast<int>(std::get<Cuts>(axis).size()) - 1;
}

AxisWalk::AxisWalk(const AxisDistribution& axis) : axis_(axis), extent_(extent_of(axis)) {
  if (std::holds_alternative<BlockCyclic<Row>>(axis)) held_.resize(as_size(classes_of(axis)));
  look();
}

void AxisWalk::look() {
  if (done()) return;
  if (const auto* const cyclic = std::get_if<BlockCyclic<Row>>(&axis_)) {
    const Global<Row> first(begin_);
    end_ = cyclic->run_end(first).value;
    class_ = cyclic->owner(first);
    local_ = held_[as_size(class_)];
    return;
  }
  const Cuts cuts = std::get<Cuts>(axis_);
  while (cuts[as_size(class_ + 1)] <= begin_) ++class_;  // skips empty blocks
  end_ = cuts[as_size(class_ + 1)];
  local_ = begin_ - cuts[as_size(class_)];
}

void AxisWalk::next() {
  if (!held_.empty()) held_[as_size(class_)] += end_ - begin_;
  begin_ = end_;
  look();
}

AxisRuns::AxisRuns(const AxisDistribution& source, const AxisDistribution& destination,
                   const ClassSet& of_source, const ClassSet& of_destination) {
  AxisWalk from(source), to(destination);
  SharedIndices* last = nullptr;
  std::pair<int, int> last_pair;
  for (std::int64_t begin = 0; !from.done() && !to.done();) {
    const std::int64_t end = std::min(from.end(), to.end());
    const std::pair pair(from.index_class(), to.index_class());
    const bool matters = of_source[as_size(pair.first)] || of_destination[as_size(pair.second)];
    if (matters && end > begin) {
      if (last == nullptr || pair != last_pair) last = &shared_[pair];
      last_pair = pair;
      std::vector<AxisRun>& runs = last->runs;
      const AxisRun run{from.local(begin), to.local(begin), end - begin, last->extent()};
      const bool goes_on = !runs.empty() && runs.back().source + runs.back().extent == run.source &&
                           runs.back().destination + runs.back().extent == run.destination;
      if (goes_on) {
        runs.back().extent += run.extent;
      } else {
        runs.push_back(run);
      }
    }
    begin = end;
    if (from.end() == end) from.next();
    if (to.end() == end) to.next();
  }
  for (const auto& [pair, shared] : shared_) {
    destinations_[pair.first].push_back(pair.second);
    sources_[pair.second].push_back(pair.first);
  }
}

const SharedIndices& AxisRuns::shared(int source, int destination) const {
  return shared_.at({source, destination});
}

std::span<const int> AxisRuns::destinations(int source) const {
  return found_in(destinations_, source);
}

std::span<const int> AxisRuns::sources(int destination) const {
  return found_in(sources_, destination);
}

}  // namespace cuboid::detail
