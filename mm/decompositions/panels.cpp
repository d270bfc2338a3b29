#include "mm/decompositions/panels.hpp"

#include "mm/matrix/even_parts.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

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
    // Panels of nearly equal width, rather than full panels and a narrow rest.
    const std::int64_t extent = end - begin;
    const std::int64_t parts = (extent + width - 1) / width;
    for (std::int64_t part = 0; part < parts; ++part) {
      const Global<Inner> part_end =
          begin + (part_begin(extent, part + 1, parts) - part_begin(extent, part, parts));
      panels.push_back({begin, part_end});
      begin = part_end;
    }
  }
  return panels;
}

std::int64_t extent_of(std::span<const GlobalRange<Inner>> panel) {
  std::int64_t extent = 0;
  for (const auto& range : panel) extent += range.extent();
  return extent;
}

std::vector<PanelRanges> panels_in_turn(std::int64_t k, std::int64_t width,
                                        std::span<const BlockCyclic<Inner>> distributions) {
  std::vector<PanelRanges> panels;
  for (const auto& range : cut_panels(k, width, distributions)) panels.push_back({range});
  return panels;
}

std::vector<PanelRanges> panels_of_all_owners(std::int64_t k, std::int64_t width,
                                              std::span<const BlockCyclic<Inner>> distributions) {
  // The period of indices in which every owner occurs.
  std::int64_t cycle = width;
  for (const auto& distribution : distributions) {
    const std::int64_t all_owners = distribution.block() * distribution.processes();
    cycle = std::max(cycle, distribution.is_even() ? k : std::min(all_owners, k));
  }
  std::vector<PanelRanges> panels;
  for (Global<Inner> begin; begin.value < k;) {
    PanelRanges runs;
    for (Global<Inner> end = begin; end.value < k && end - begin < cycle;) {
      const Global<Inner> later = next_end(k, distributions, end);
      runs.push_back({end, later});
      end = later;
    }
    const std::int64_t parts = (runs.back().end - begin + width - 1) / width;
    if (parts == 1) runs = {{begin, runs.back().end}};
    for (std::int64_t part = 0; part < parts; ++part) {
      PanelRanges panel;
      for (const auto& run : runs) {
        const GlobalRange<Inner> range{run.begin + part_begin(run.extent(), part, parts),
                                       run.begin + part_begin(run.extent(), part + 1, parts)};
        if (!range.empty()) panel.push_back(range);
      }
      if (!panel.empty()) panels.push_back(std::move(panel));
    }
    begin = runs.back().end;
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

std::vector<PanelPiece> panel_pieces(const BlockCyclic<Inner>& distribution,
                                     std::span<const GlobalRange<Inner>> panel) {
  std::vector<PanelPiece> pieces;
  for (const auto& range : panel) {
    const auto of_range = panel_pieces(distribution, range);
    pieces.insert(pieces.end(), of_range.begin(), of_range.end());
  }
  return pieces;
}

std::vector<std::int64_t> panel_shares(const BlockCyclic<Inner>& distribution,
                                       std::span<const GlobalRange<Inner>> panel) {
  std::vector<std::int64_t> shares(static_cast<std::size_t>(distribution.processes()));
  for (const PanelPiece& piece : panel_pieces(distribution, panel))
    shares[static_cast<std::size_t>(piece.owner)] += piece.range.extent();
  return shares;
}

}  // namespace cuboid::detail
