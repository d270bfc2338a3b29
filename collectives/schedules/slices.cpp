#include "collectives/schedules/slices.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace cuboid::detail {

std::vector<Slice> cut(Slice whole, std::span<const double> shares, std::size_t element_bytes) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const std::size_t elements = whole.bytes / element_bytes;
  std::vector<Slice> slices;
  std::size_t offset = whole.offset;
  double up_to_here = 0;
  for (std::size_t part = 0; part < shares.size(); ++part) {
    up_to_here += shares[part];
    const auto end_element =
        static_cast<std::size_t>(std::llround(up_to_here / sum * static_cast<double>(elements)));
    const bool last = part + 1 == shares.size();
    const std::size_t end = last ? whole.end() : whole.offset + end_element * element_bytes;
    slices.push_back({offset, end - offset});
    offset = end;
  }
  return slices;
}

std::vector<Slice> cut(Slice whole, std::size_t parts, std::size_t element_bytes) {
  const std::size_t elements = whole.bytes / element_bytes;
  std::vector<Slice> slices;
  std::size_t offset = whole.offset;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t bytes =
        (elements / parts + (part < elements % parts ? 1 : 0)) * element_bytes;
    slices.push_back({offset, bytes});
    offset += bytes;
  }
  return slices;
}

namespace {

// Cuts stretches of consecutive blocks into runs.
template <class Offset>
class RunCutter {
 public:
  RunCutter(const Offset& offset, std::size_t longest_run)
      : offset_(offset), longest_run_(longest_run) {}

  // Adds blocks that come after all others.
  void add(std::size_t first, std::size_t end) {
    if (first != end_) cut_stretch();
    if (first_ == end_) first_ = first;
    end_ = end;
  }

  std::vector<BlockRun> take() && {
    cut_stretch();
    return std::move(runs_);
  }

 private:
  // The stretch is cut into equal parts, one for each run that it needs; a block belongs to the
  // part that its middle lies in.
  void cut_stretch() {
    std::size_t parts = 0;
    for (std::size_t block = first_; block < end_; ++parts) block = end_of_run(block, end_);
    if (parts == 0) return;
    const std::size_t begin = offset_(first_);
    const std::size_t bytes = offset_(end_) - begin;
    if (parts == 1) {
      runs_.push_back({first_, end_, bytes});
      first_ = end_;
      return;
    }
    const auto part_of = [&](std::size_t block) {
      return (offset_(block) + offset_(block + 1) - 2 * begin) * parts / (2 * bytes + 1);
    };
    while (first_ < end_) {
      const std::size_t part = part_of(first_);
      const auto others = std::views::iota(first_ + 1, end_);
      const std::size_t next = *std::ranges::partition_point(
          others, [&](std::size_t block) { return part_of(block) == part; });
      const std::size_t end = end_of_run(first_, next);
      runs_.push_back({first_, end, offset_(end) - offset_(first_)});
      first_ = end;
    }
  }

  std::size_t end_of_run(std::size_t first, std::size_t end) const {
    return end_within(offset_, first, end, longest_run_);
  }

  const Offset& offset_;
  std::size_t longest_run_;
  std::size_t first_ = 0;  // the current stretch
  std::size_t end_ = 0;
  std::vector<BlockRun> runs_;
};

template <class Offset>
std::vector<BlockRun> runs_with(const BlockSet& blocks, const Offset& offset,
                                std::size_t longest_run) {
  RunCutter cutter(offset, longest_run);
  for (const BlockSet::Progression& progression : blocks.progressions()) {
    const auto first = static_cast<std::size_t>(progression.first);
    const auto count = static_cast<std::size_t>(progression.count);
    const auto stride = static_cast<std::size_t>(progression.stride);
    const std::size_t together = stride == 1 ? count : 1;
    for (std::size_t block = 0; block < count; block += together)
      cutter.add(first + block * stride, first + block * stride + together);
  }
  return std::move(cutter).take();
}

}  // namespace

std::vector<BlockRun> runs_of(const BlockSet& blocks, const Pieces& pieces,
                              std::size_t longest_run) {
  return runs_with(
      blocks, [&](std::size_t block) { return pieces.offset(block); }, longest_run);
}

std::vector<BlockRun> runs_of(const BlockSet& blocks, const Conditions& conditions,
                              std::size_t longest_run) {
  const auto offset = [&](std::size_t block) {
    return block > 0 ? conditions.blocks[block - 1].slice.end()
                     : conditions.blocks[block].slice.offset;
  };
  return runs_with(blocks, offset, longest_run);
}

std::size_t bytes_of(const BlockSet& blocks, const Conditions& conditions) {
  std::size_t bytes = 0;
  for (const int block : blocks)
    bytes += conditions.blocks[static_cast<std::size_t>(block)].slice.bytes;
  return bytes;
}

}  // namespace cuboid::detail
