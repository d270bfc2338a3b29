#include <cuboid/mm/panels.hpp>

#include <algorithm>

namespace cuboid {

namespace {

/// The nearest end of a block, of any distribution, after `index`.
Global<Inner> next_end(std::int64_t k, std::span<const BlockCyclic<Inner>> distributions,
                       Global<Inner> index) {
  Global<Inner> end(k);
  for (const auto& distribution : distributions) end = std::min(end, distribution.run_end(index));
  return end;
}

}  // namespace

std::vector<GlobalRange<Inner>> cut_panels(std::int64_t k, std::int64_t width,
                                           std::span<const BlockCyclic<Inner>> distributions) {
  std::vector<GlobalRange<Inner>> panels;
  for (Global<Inner> begin; begin.value < k;) {
    // The last block end that leaves at most `width`, if that is at least half of it; else the
    // first one after.
    Global<Inner> end = next_end(k, distributions, begin);
    while (end.value < k) {
      const Global<Inner> later = next_end(k, distributions, end);
      const bool too_short = 2 * (end - begin) < width;
      if (!too_short && later - begin > width) break;
      end = later;
    }
    // Evenly: panels of nearly the same width rather than full ones and a sliver.
    const std::int64_t extent = end - begin;
    const std::int64_t parts = (extent + width - 1) / width;
    for (std::int64_t part = 0; part < parts; ++part) {
      const Global<Inner> part_end = begin + (extent * (part + 1) / parts - extent * part / parts);
      panels.push_back({begin, part_end});
      begin = part_end;
    }
  }
  return panels;
}

std::vector<PanelPiece> panel_pieces(const BlockCyclic<Inner>& distribution,
                                     GlobalRange<Inner> panel) {
  std::vector<PanelPiece> pieces;
  for (auto begin = panel.begin; begin < panel.end;) {
    const auto end = std::min(distribution.run_end(begin), panel.end);
    pieces.push_back({distribution.owner(begin), {begin, end}, distribution.local(begin)});
    begin = end;
  }
  return pieces;
}

}  // namespace cuboid
