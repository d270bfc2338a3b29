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

std::vector<BlockRun> runs_of(const BlockSet& blocks, const Pieces& pieces,
                              std::size_t longest_run) {
  std::vector<BlockRun> runs;
  for_each_run(
      blocks, [&](std::size_t block) { return pieces.offset(block); }, longest_run,
      [&](const BlockRun& run) { runs.push_back(run); });
  return runs;
}

std::size_t bytes_of(const BlockSet& blocks, const Conditions& conditions) {
  std::size_t bytes = 0;
  for (const auto& [first, count, stride] : blocks.progressions()) {
    const int together = stride == 1 ? count : 1;
    for (int number = 0; number < count; number += together) {
      const auto block = static_cast<std::size_t>(first + number * stride);
      bytes += conditions.blocks.offset(block + static_cast<std::size_t>(together)) -
               conditions.blocks.offset(block);
    }
  }
  return bytes;
}

}  // namespace cuboid::detail
