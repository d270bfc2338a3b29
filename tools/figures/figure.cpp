#include "tools/figures/figure.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace cuboid::detail::tools {

namespace {

constexpr std::array entries = {
    FigureEntry{"rectangular-mm", "2D and 2.5D multiplication on 16,384 nodes of Blue Gene/P",
                multiplication_on_blue_gene},
    FigureEntry{"rectangular-lu-scaling", "strong scaling of 2D and 2.5D LU on Blue Gene/P",
                lu_strong_scaling},
    FigureEntry{"rectangular-lu-saved",
                "communication that 2.5D LU saves on 16,384 nodes of Blue Gene/P",
                lu_communication_saved},
    FigureEntry{"rectangular-fig7", "multicast on a ring of 8 nodes of Blue Gene/P",
                multicast_on_ring},
    FigureEntry{"rectangular-fig8", "multicast on 8x8 nodes of Blue Gene/P", multicast_on_grid},
    FigureEntry{"rectangular-fig9", "multicast on 8x8x8 nodes of Blue Gene/P", multicast_on_cube},
    FigureEntry{"rectangular-fig12", "multicast on 64, 64x64 and 64x64x64 nodes at exascale",
                multicast_at_exascale},
    FigureEntry{"rectangular-fig13a", "efficiency of 2D and 2.5D multiplication at exascale",
                multiplication_at_exascale},
    FigureEntry{"rectangular-fig13b", "efficiency of 2D and 2.5D LU at exascale", lu_at_exascale},
    FigureEntry{"hsumma-grid5000", "HSUMMA's communication over the number of groups, Grid5000",
                groups_on_grid5000},
    FigureEntry{"hsumma-bgp", "HSUMMA's communication over the number of groups, Blue Gene/P",
                groups_on_blue_gene},
    FigureEntry{"hsumma-fig10", "HSUMMA's communication over the number of groups, exascale",
                groups_at_exascale},
    FigureEntry{"sd-cannon-cost", "SD-Cannon compared with Cannon and SUMMA on tori",
                split_dimensions},
    FigureEntry{"srumma-eq1", "SRUMMA's time with and without overlap, equations 1 to 3",
                one_sided},
    FigureEntry{"cosma-table3", "words of 2D, 2.5D, recursive and COSMA decompositions over memory",
                decompositions},
    FigureEntry{"cosma-table3-square", "words for square matrices with limited memory",
                decompositions_of_square},
    FigureEntry{"cosma-table3-tall", "words for tall matrices with extra memory",
                decompositions_of_tall},
    FigureEntry{"cosma-tradeoff", "words against steps as the side of C's face varies",
                traded_words},
    FigureEntry{"cosma-listing1", "words of the sequential schedule compared with the bound",
                sequential_words},
    FigureEntry{"cosma-fig5", "using 64 ranks instead of 65", idle_rank},
    FigureEntry{"cosma-unfavourable", "square matrices on 9216 and 9217 cores of Piz Daint",
                unfavourable_cores},
    FigureEntry{"cosma-volumes", "communication volume per rank in strong scaling, by dry run",
                volumes},
};

}  // namespace

Comparison::Comparison(const PrintedNumber& printed, double ours, std::string why)
    : what(printed.what()), ours(ours), printed(&printed) {
  if (std::abs(*difference()) > agreement) this->why = std::move(why);
}

Comparison Comparison::at(double where) const {
  Comparison placed = *this;
  placed.x = where;
  return placed;
}

std::optional<double> Comparison::paper() const {
  return printed ? std::optional(printed->value_) : std::nullopt;
}

std::optional<double> Comparison::difference() const {
  return printed ? std::optional(ours / printed->value_ - 1) : std::nullopt;
}

Plot Figure::plot_with_printed() const {
  Plot result = plot;
  Curve of_paper{"printed in the paper", {}, true};
  for (const Comparison& one : comparisons)
    if (one.x && one.paper()) of_paper.points.emplace_back(*one.x, *one.paper());
  if (!of_paper.points.empty()) result.curves.push_back(std::move(of_paper));
  return result;
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
