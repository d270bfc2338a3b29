#include "collectives/schedules/staging_plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cuboid::detail {

namespace {

constexpr std::size_t shortest_batch = std::size_t{1} << 20;
constexpr std::size_t most_batches = 32;

std::size_t batch_bytes(const std::vector<ByteRange>& ranges) {
  std::size_t all = 0;
  for (const ByteRange& range : ranges) all += range.end - range.begin;
  return std::max(shortest_batch, (all + most_batches - 1) / most_batches);
}

/// The ranges, which are ascending and apart, in pieces of at most so many bytes.
std::vector<ByteRange> pieces_of_ranges(const std::vector<ByteRange>& ranges, std::size_t longest) {
  std::vector<ByteRange> pieces;
  for (const ByteRange& range : ranges) {
    for (std::size_t begin = range.begin; begin < range.end; begin += longest)
      pieces.push_back({begin, std::min(range.end, begin + longest)});
  }
  return pieces;
}

/// Calls act(number) for the pieces, ascending and apart, that have a byte in a range.
template <class Act>
void for_each_overlap(const std::vector<ByteRange>& pieces, const ByteRange& range,
                      const Act& act) {
  const auto first = std::ranges::partition_point(
      pieces, [&](const ByteRange& piece) { return piece.end <= range.begin; });
  for (auto piece = first; piece != pieces.end() && piece->begin < range.end; ++piece)
    act(static_cast<std::size_t>(piece - pieces.begin()));
}

/// Calls act(range, access) for what a step touches in an area.
template <class Act>
void for_each_range(const Schedule& schedule, const Step& step, Area area, const Act& act) {
  for_each_access(schedule, step, [&](Access access, const Address& where, std::size_t bytes) {
    if (where.area == area) act(ByteRange{where.offset, where.offset + bytes}, access);
  });
}

/// Puts pieces into batches, in this order. Says into which batch each goes.
CopyBatches in_batches(const std::vector<ByteRange>& pieces, const std::vector<std::size_t>& order,
                       std::size_t bytes, std::vector<std::uint32_t>& batch_of) {
  CopyBatches batches;
  batch_of.assign(pieces.size(), 0);
  std::size_t in_batch = 0;
  for (const std::size_t piece : order) {
    batch_of[piece] = static_cast<std::uint32_t>(batches.ends.size());
    batches.ranges.push_back(pieces[piece]);
    in_batch += pieces[piece].end - pieces[piece].begin;
    if (in_batch < bytes && batches.ranges.size() < order.size()) continue;
    batches.ends.push_back(static_cast<std::uint32_t>(batches.ranges.size()));
    in_batch = 0;
  }
  return batches;
}

StagingPlan::Arrivals arrivals_of(const Schedule& schedule, Area area,
                                  const std::vector<ByteRange>& ranges) {
  StagingPlan::Arrivals plan;
  plan.needed.assign(schedule.steps.size(), 0);
  const std::size_t bytes = batch_bytes(ranges);
  const std::vector<ByteRange> pieces = pieces_of_ranges(ranges, bytes);
  std::vector<bool> is_ordered(pieces.size());
  std::vector<std::size_t> order;
  for (const Step& step : schedule.steps) {
    for_each_range(schedule, step, area, [&](const ByteRange& range, Access) {
      for_each_overlap(pieces, range, [&](std::size_t piece) {
        if (!is_ordered[piece]) order.push_back(piece);
        is_ordered[piece] = true;
      });
    });
  }
  std::vector<std::uint32_t> batch_of;
  plan.batches = in_batches(pieces, order, bytes, batch_of);
  for (StepId step = 0; step < schedule.steps.size(); ++step) {
    for_each_range(schedule, schedule.steps[step], area, [&](const ByteRange& range, Access) {
      for_each_overlap(pieces, range, [&](std::size_t piece) {
        plan.needed[step] = std::max(plan.needed[step], batch_of[piece] + 1);
      });
    });
  }
  return plan;
}

void plan_results(StagingPlan& plan, const Schedule& schedule,
                  const std::vector<ByteRange>& ranges) {
  const std::size_t bytes = batch_bytes(ranges);
  const std::vector<ByteRange> pieces = pieces_of_ranges(ranges, bytes);
  std::vector<std::size_t> ascending(pieces.size());
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) ascending[piece] = piece;
  std::vector<std::uint32_t> batch_of;
  plan.results = in_batches(pieces, ascending, bytes, batch_of);
  plan.writers.assign(plan.results.size(), 0);
  std::vector<StepId> last_writer(plan.results.size(), std::numeric_limits<StepId>::max());
  for (StepId step = 0; step < schedule.steps.size(); ++step) {
    plan.first_result.push_back(static_cast<std::uint32_t>(plan.written.size()));
    const auto note = [&](const ByteRange& range, Access access) {
      if (access == Access::read) return;
      for_each_overlap(pieces, range, [&](std::size_t piece) {
        const std::uint32_t batch = batch_of[piece];
        if (std::exchange(last_writer[batch], step) == step) return;
        plan.written.push_back(batch);
        ++plan.writers[batch];
      });
    };
    for_each_range(schedule, schedule.steps[step], Area::output, note);
  }
  plan.first_result.push_back(static_cast<std::uint32_t>(plan.written.size()));
}

}  // namespace

StagingPlan staging_plan(const Schedule& schedule, const Footprint& input, const Footprint& output,
                         bool in_place) {
  StagingPlan plan;
  plan.input = arrivals_of(schedule, Area::input, input.read);
  plan.content = arrivals_of(schedule, Area::output, in_place ? output.read : output.only_read());
  plan_results(plan, schedule, output.written);
  return plan;
}

}  // namespace cuboid::detail
