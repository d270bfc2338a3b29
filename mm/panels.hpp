#pragma once

#include <cuboid/mm/block_cyclic.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace cuboid {

/// Cuts the inner dimension, 0 … k-1, into SUMMA's panels: consecutive ranges of at most `width`
/// >= 1. Where blocks are long, panels end with them, so that one process has the whole panel;
/// where blocks are short, several make a panel. No panel but the last is shorter than half of
/// `width`, unless `width` is 1.
/// @param distributions  those whose block ends count; each of extent k.
std::vector<GlobalRange<Inner>> cut_panels(std::int64_t k, std::int64_t width,
                                           std::span<const BlockCyclic<Inner>> distributions);

/// A part of a panel that one process holds in one run.
struct PanelPiece {
  int owner = 0;
  GlobalRange<Inner> range;
  Local<Inner> local;  ///< where the owner keeps the first index
};

/// Who holds what of a panel, in ascending order.
std::vector<PanelPiece> panel_pieces(const BlockCyclic<Inner>& distribution,
                                     GlobalRange<Inner> panel);

}  // namespace cuboid
