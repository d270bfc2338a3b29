#include <cuboid/mm/even_parts.hpp>
#include <cuboid/mm/slabs.hpp>

#include <algorithm>

namespace cuboid {

namespace {

/// When all of C is summed, in units of the time that operands need, as much as its sums need: once
/// a border is there, all of C but what was complete before is still to be summed.
double finished(const SlabCut& cut) {
  double latest = 1, before = cut.complete(0);
  for (int come = cut.first_units; come <= cut.units; ++come) {
    latest = std::max(latest, static_cast<double>(come) / cut.units + 1 - before);
    before = cut.complete(come);
  }
  return latest;
}

/// Ranges of a part that begins at `begin`, by slab: none in the first.
std::vector<LocalRange<Row>> cut_part(std::int64_t begin, std::int64_t extent, const SlabCut& cut) {
  const auto at = [&](int unit) { return Local<Row>(begin + part_begin(extent, unit, cut.units)); };
  std::vector<LocalRange<Row>> ranges{{at(0), at(0)}};
  for (int from = 0, to = cut.first_units; from < cut.units; from = to++) {
    ranges.push_back({at(from), at(to)});
  }
  return ranges;
}

}  // namespace

SlabCut slab_cut(std::int64_t rows, std::int64_t columns, int row_owners, int column_owners) {
  constexpr std::int64_t narrowest = 48, most = 16;
  SlabCut cut{.own_rows = 1.0 / row_owners, .own_columns = 1.0 / column_owners};
  std::int64_t units = most;
  if (row_owners > 1) units = std::min(units, (rows - rows / row_owners) / narrowest);
  if (column_owners > 1) units = std::min(units, (columns - columns / column_owners) / narrowest);
  if (row_owners == 1 && column_owners == 1) units = 1;
  cut.units = static_cast<int>(std::max<std::int64_t>(units, 1));
  const double even = finished(cut);
  SlabCut longer = cut;
  constexpr double rounding = 1e-12;
  while (++longer.first_units <= cut.units && finished(longer) <= even + rounding) cut = longer;
  return cut;
}

Slabs cut_slabs(const std::vector<std::int64_t>& parts, std::size_t own, const SlabCut& cut) {
  Slabs slabs;
  slabs.all.resize(static_cast<std::size_t>(cut.count()) + 1);
  std::int64_t begin = 0;
  for (std::size_t owner = 0; owner < parts.size(); ++owner) {
    auto ranges = cut_part(begin, parts[owner], cut);
    if (owner == own) {
      slabs.sent = ranges;
      const LocalRange<Row> nothing = ranges.front();
      ranges.assign(ranges.size(), nothing);
      ranges.front().end = Local<Row>(begin + parts[owner]);
    }
    for (std::size_t number = 0; number < ranges.size(); ++number) {
      slabs.all[number].ranges.push_back(ranges[number]);
      slabs.all[number].extent += ranges[number].extent();
    }
    begin += parts[owner];
  }
  std::int64_t before = 0;
  for (Slab& slab : slabs.all) {
    slab.begin = before;
    before += slab.extent;
  }
  return slabs;
}

std::vector<LocalRange<Row>> runs_inside(const Slab& slab, LocalRange<Row> range) {
  std::vector<LocalRange<Row>> runs;
  for (const LocalRange<Row>& own : slab.ranges) {
    const LocalRange<Row> run{std::max(own.begin, range.begin), std::min(own.end, range.end)};
    if (run.begin < run.end) runs.push_back(run);
  }
  return runs;
}

}  // namespace cuboid
