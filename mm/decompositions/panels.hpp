#pragma once

#include <cuboid/layout.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Cuts the inner dimension, 0 … k-1, into SUMMA's panels: consecutive ranges of at most `width` >=
/// 1. Panels end at the ends of long blocks, so that one process has the whole panel; several short
/// blocks make one panel. No panel but the last is shorter than half of `width`, unless `width` is
/// 1.
/// @param distributions  the distributions whose block ends count; each of extent k.
std::vector<GlobalRange<Inner>> cut_panels(std::int64_t k, std::int64_t width,
                                           std::span<const BlockCyclic<Inner>> distributions);

/// The senders in a step of SUMMA.
enum class PanelOrder {
  in_turn,     ///< one owner of A's and one of B's panel, which may send in place
  all_owners,  ///< all ranks, a part each, so all links are busy
};

/// The inner indices of one panel: ranges that follow one another in the panel, but need not follow
/// one another in the matrix.
using PanelRanges = std::vector<GlobalRange<Inner>>;

std::int64_t extent_of(std::span<const GlobalRange<Inner>> panel);

/// The panels of cut_panels(), each as a list of one range, whose owner broadcasts alone.
std::vector<PanelRanges> panels_in_turn(std::int64_t k, std::int64_t width,
                                        std::span<const BlockCyclic<Inner>> distributions);

/// Cuts the inner dimension into panels to which every owner contributes an equal part, so that all
/// of them broadcast at the same time. On a ring of p ranks each link then carries (p - 1)/p of a
/// panel. With a single owner the links into it would be idle, so this gives p/(p - 1) times the
/// rate. Panels are about `width` wide, at most one index per part more.
std::vector<PanelRanges> panels_of_all_owners(std::int64_t k, std::int64_t width,
                                              std::span<const BlockCyclic<Inner>> distributions);

/// A part of a panel that one process holds in one run.
struct PanelPiece {
  int owner = 0;
  GlobalRange<Inner> range;
  Local<Inner> local;  ///< the place of the first index in the owner's part
};

/// The pieces of a panel and their owners, in ascending order.
std::vector<PanelPiece> panel_pieces(const BlockCyclic<Inner>& distribution,
                                     GlobalRange<Inner> panel);
/// The pieces of a panel and their owners, in the order of the panel.
std::vector<PanelPiece> panel_pieces(const BlockCyclic<Inner>& distribution,
                                     std::span<const GlobalRange<Inner>> panel);

/// The number of a panel's indices that each process holds.
std::vector<std::int64_t> panel_shares(const BlockCyclic<Inner>& distribution,
                                       std::span<const GlobalRange<Inner>> panel);

}  // namespace cuboid::detail
