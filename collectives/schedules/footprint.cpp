#include "collectives/schedules/footprint.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

namespace {

void merge(std::vector<ByteRange>& ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  std::vector<ByteRange> merged;
  for (const ByteRange& range : ranges) {
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  }
  ranges = std::move(merged);
}

}  // namespace

ByteRange Footprint::hull() const {
  ByteRange hull{~std::size_t{0}, 0};
  for (const std::vector<ByteRange>* const ranges : {&read, &written}) {
    if (ranges->empty()) continue;
    hull.begin = std::min(hull.begin, ranges->front().begin);
    hull.end = std::max(hull.end, ranges->back().end);
  }
  return hull.end == 0 ? ByteRange{} : hull;
}

std::vector<ByteRange> Footprint::only_read() const {
  std::vector<ByteRange> left;
  auto writes = written.begin();
  for (ByteRange range : read) {
    while (writes != written.end() && writes->end <= range.begin) ++writes;
    for (auto write = writes; write != written.end() && write->begin < range.end; ++write) {
      if (range.begin < write->begin) left.push_back({range.begin, write->begin});
      range.begin = std::min(write->end, range.end);
    }
    if (range.begin < range.end) left.push_back(range);
  }
  return left;
}

Footprint footprint_of(const Schedule& schedule, Area area) {
  Footprint footprint;
  for (const Step& step : schedule.steps) {
    for_each_access(schedule, step, [&](Access access, const Address& where, std::size_t bytes) {
      if (where.area != area) return;
      (access == Access::read ? footprint.read : footprint.written)
          .push_back({where.offset, where.offset + bytes});
    });
  }
  merge(footprint.read);
  merge(footprint.written);
  return footprint;
}

}  // namespace cuboid::detail
