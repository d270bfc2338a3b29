#include <cuboid/mm/even_parts.hpp>
#include <cuboid/mm/slabs.hpp>

#include <algorithm>
#include <utility>

namespace cuboid {

SlabCut slab_cut(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t narrowest = 64, most = 16;
  const auto units =
      static_cast<int>(std::clamp<std::int64_t>(std::min(rows, columns) / narrowest, 1, most));
  return {.units = units, .first_units = units > 1 ? units / 4 + 1 : 1};
}

std::vector<Slab> cut_slabs(const std::vector<std::int64_t>& pieces, SlabCut cut) {
  std::vector<Slab> slabs;
  std::int64_t begin = 0;
  for (int from = 0, to = cut.first_units; from < cut.units; from = to++) {
    Slab slab{.ranges = {}, .begin = begin};
    std::int64_t piece_begin = 0;
    for (const std::int64_t piece : pieces) {
      const LocalRange<Inner> range{Local<Inner>(piece_begin + part_begin(piece, from, cut.units)),
                                    Local<Inner>(piece_begin + part_begin(piece, to, cut.units))};
      slab.ranges.push_back(range);
      slab.extent += range.extent();
      piece_begin += piece;
    }
    begin += slab.extent;
    slabs.push_back(std::move(slab));
  }
  return slabs;
}

}  // namespace cuboid
