#include "collectives/schedules/slices.hpp"

#include <cmath>
#include <numeric>

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

Conditions in_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes) {
  const Block& whole = conditions.blocks.at(0);
  Conditions pieces{conditions.ranks, {}};
  for (const Slice& slice : cut(whole.slice, parts, element_bytes))
    pieces.blocks.push_back({slice, whole.before, whole.after});
  return pieces;
}

}  // namespace cuboid::detail
