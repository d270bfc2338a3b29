#include "models/messages/machine.hpp"
#include "models/papers/one_sided_costs.hpp"
#include "models/papers/shift_costs.hpp"
#include "tools/figures/figure.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail::tools {

Figure split_dimensions() {
  constexpr double element_bytes = 8;
  const Machine& machine = *find_machine("bgp");
  Hockney per_element = hockney(machine.between_nodes);
  per_element.beta *= element_bytes;
  const ShiftTorus grid{.extent = 8, .dimensions = 2};
  const auto compute = [&](double n) {
    return 2 * n * n * n / grid.ranks() / machine.flops_per_second;
  };
  const auto cannon = [&](double n) {
    return cannon_seconds(per_element, {n, n, n}, grid.ranks());
  };
  const auto split = [&](double n) { return sd_cannon_seconds(per_element, {n, n, n}, grid); };
  Figure figure;
  figure.plot = {.title = "Cannon's time over SD-Cannon's on 8x8 nodes of Blue Gene/P",
                 .x_axis = "n",
                 .y_axis = "times",
                 .curves = {{"communication", {}}, {"all, nothing hidden", {}}}};
  double best = 0;
  for (double n = 256; n <= 65536; n *= 2) {
    const double all = (cannon(n) + compute(n)) / (split(n) + compute(n));
    best = std::max(best, all);
    figure.plot.curves[0].points.emplace_back(n, cannon(n) / split(n));
    figure.plot.curves[1].points.emplace_back(n, all);
  }
  constexpr ProductExtents product{4096, 4096, 4096};
  for (const ShiftTorus& torus : {grid, ShiftTorus{4, 4}, ShiftTorus{4, 6}}) {
    const double split_words = sd_cannon_link_words(product, torus);
    figure.comparisons.push_back(
        {.what = fmt::format("link words of Cannon over SD-Cannon, {:.0f}-ary {:.0f}-cube (§3: d)",
                             torus.extent, torus.dimensions),
         .ours = cannon_link_words(product, torus.ranks()) / split_words});
    figure.comparisons.push_back(
        {.what = fmt::format("link words of SD-Cannon over SUMMA, {:.0f}-ary {:.0f}-cube (§3: 2)",
                             torus.extent, torus.dimensions),
         .ours = split_words / rectangular_summa_link_words(product, torus)});
  }
  figure.comparisons.push_back(
      {.what = "Cannon's time over SD-Cannon's, 8x8, best n (measured: up to)",
       .ours = best,
       .paper = 1.5,
       .where = "§4",
       .why = "the paper gives the measured sizes only in a figure; SD-Cannon's additional "
              "messages cost CPU and DMA time, which the model omits"});
  return figure;
}

Figure one_sided() {
  constexpr double element_bytes = 8, ranks = 64, side = 8;
  // Network and processors are of one machine: the paper names its own machines, but gives no t_w
  // and t_s.
  const Machine& machine = *find_machine("bgp");
  Hockney per_element = hockney(machine.between_nodes);
  per_element.beta *= element_bytes;
  const double multiplications_per_second = machine.flops_per_second / 2;
  Figure figure;
  figure.plot = {.title = "SRUMMA on 64 nodes of Blue Gene/P",
                 .x_axis = "N",
                 .y_axis = "efficiency",
                 .curves = {{"nothing hidden (eq 1)", {}}, {"overlap (eq 3)", {}}}};
  const auto seconds = [&](double n) {
    return one_sided_seconds(per_element, multiplications_per_second, {n, n, n}, side, side);
  };
  for (double n = 256; n <= 65536; n *= 2) {
    const OneSidedSeconds parts = seconds(n);
    figure.plot.curves[0].points.emplace_back(n, parts.compute / overlapped_seconds(parts, 1));
    figure.plot.curves[1].points.emplace_back(
        n, parts.compute / overlapped_seconds(parts, shown_share(parts)));
  }
  constexpr double n = 12000;  // Krishnan and Nieplocha 2004, §4: the largest matrices
  const OneSidedSeconds parts = seconds(n);
  figure.comparisons = {
      {.what = "N = 12000, seconds without overlap (eq 1)", .ours = overlapped_seconds(parts, 1)},
      {.what = "N = 12000, seconds with overlap (eq 3)",
       .ours = overlapped_seconds(parts, shown_share(parts))},
      {.what = "efficiency without latency, 1/(1 + 2*sqrt(P)/N*t_w)",
       .ours = one_sided_efficiency(n, ranks, per_element.beta * multiplications_per_second)},
      {.what = "share of communication hidden, N = 12000",
       .ours = 1 - shown_share(parts),
       .paper = 0.9,
       .where = "§4: Linux cluster",
       .why = "eq 3 hides all communication if multiplication takes longer; it omits the first "
              "get, which nothing hides, and the cycles that gets take; the machines differ"}};
  figure.notes = {
      "The paper does not give t_w and t_s of its machines. Network and processors here are both "
      "those of Blue Gene/P (Solomonik et al. 2011, §4.5)."};
  return figure;
}

}  // namespace cuboid::detail::tools
