#include "tools/figures/figure.hpp"

#include <array>

namespace cuboid::detail::tools {

namespace {

constexpr std::array entries = {
    FigureEntry{"004-fig7", "multicast on a ring of 8 nodes of Blue Gene/P", multicast_on_ring},
    FigureEntry{"004-fig8", "the same on 8x8 nodes", multicast_on_grid},
    FigureEntry{"004-fig9", "the same on 8x8x8 nodes", multicast_on_cube},
    FigureEntry{"004-fig12", "multicast on 64, 64x64 and 64x64x64 nodes at exascale",
                multicast_at_exascale},
    FigureEntry{"004-fig13a", "efficiency of 2D and 2.5D multiplication at exascale",
                multiplication_at_exascale},
    FigureEntry{"004-fig13b", "efficiency of 2D and 2.5D LU at exascale", lu_at_exascale},
    FigureEntry{"003-grid5000", "HSUMMA's communication over its groups, Grid5000",
                groups_on_grid5000},
    FigureEntry{"003-bgp", "HSUMMA's communication over its groups, Blue Gene/P",
                groups_on_blue_gene},
    FigureEntry{"003-fig10", "HSUMMA's communication over its groups, exascale",
                groups_at_exascale},
    FigureEntry{"002-cost", "SD-Cannon against Cannon and SUMMA on tori", split_dimensions},
    FigureEntry{"001-eq1", "SRUMMA's time with and without overlap, equations 1 to 3", one_sided},
    FigureEntry{"000-table3", "words of 2D, 2.5D, recursive and COSMA over memory", decompositions},
    FigureEntry{"000-table3-square", "the same for square matrices without memory to spare",
                decompositions_of_square},
    FigureEntry{"000-table3-tall", "the same for tall matrices with memory to spare",
                decompositions_of_tall},
    FigureEntry{"000-fig5", "64 ranks instead of 65", idle_rank},
    FigureEntry{"000-table4", "volume per rank in strong scaling, by dry run", volumes},
};

}  // namespace

std::optional<double> Comparison::difference() const {
  if (!paper || *paper == 0) return std::nullopt;
  return ours / *paper - 1;
}

std::span<const FigureEntry> figures() {
  return entries;
}

const FigureEntry* find_figure(std::string_view name) {
  for (const FigureEntry& entry : entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace cuboid::detail::tools
