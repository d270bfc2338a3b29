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
         .ours = cannon_link_words(product, torus.ranks()) / split_words,
         .paper = torus.dimensions,
         .why = ""});
    figure.comparisons.push_back(
        {.what = fmt::format("link words of SD-Cannon over SUMMA, {:.0f}-ary {:.0f}-cube (§3: 2)",
                             torus.extent, torus.dimensions),
         .ours = split_words / rectangular_summa_link_words(product, torus),
         .paper = 2,
         .why = ""});
  }
  figure.comparisons.push_back(
      {.what = "Cannon's time over SD-Cannon's, 8x8, best n (§4: up to 1.5, measured)",
       .ours = best,
       .paper = 1.5,
       .why = "the paper gives the measured sizes only in a figure; SD-Cannon's additional "
              "messages cost CPU and DMA time, which the model omits"});
  return figure;
}

Figure one_sided() {
  constexpr double element_bytes = 8, ranks = 64, side = 8;
  const Machine& machine = *find_machine("grid5000");
  Hockney per_element = hockney(machine.between_nodes);
  per_element.beta *= element_bytes;
  // Krishnan and Nieplocha 2004, §4: 2.4 GHz Xeons, two flops a cycle.
  constexpr double multiplications_per_second = 2.4e9;
  Figure figure;
  figure.plot = {.title = "SRUMMA on 64 ranks",
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
  const double per_multiplication = per_element.beta * multiplications_per_second;
  // Eq 1's efficiency is kept where N grows with sqrt(P), the work with P^(3/2).
  const auto work_for_half = [&](double p) {
    return std::pow(2 * std::sqrt(p) * per_multiplication, 3);
  };
  figure.comparisons = {
      {.what = "N = 12000, seconds without overlap (eq 1)",
       .ours = overlapped_seconds(parts, 1),
       .paper = n * n * n / ranks / multiplications_per_second +
                2 * n * n / std::sqrt(ranks) * per_element.beta +
                2 * per_element.alpha * std::sqrt(ranks),
       .why = ""},
      {.what = "efficiency without latency, 1/(1 + 2*sqrt(P)/N*t_w)",
       .ours = parts.compute / (parts.compute + parts.data),
       .paper = one_sided_efficiency(n, ranks, per_multiplication),
       .why = ""},
      {.what = "isoefficiency, exponent of P (§2.1: 3/2)",
       .ours = std::log(work_for_half(4 * ranks) / work_for_half(ranks)) / std::log(4.0),
       .paper = 1.5,
       .why = ""},
      {.what = "N = 12000, seconds with overlap (eq 3: N^3/P + 2*t_s*sqrt(P))",
       .ours = overlapped_seconds(parts, shown_share(parts)),
       .paper = parts.compute + 2 * per_element.alpha * std::sqrt(ranks),
       .why = ""},
      {.what = "share of communication hidden (§4: 90% reached)",
       .ours = 1 - shown_share(parts),
       .paper = 0.9,
       .why = "eq 3 hides all communication if multiplication takes longer; it omits the first "
              "get, which nothing hides, and the cycles that gets take"}};
  figure.notes = {
      "The paper does not give t_w and t_s of its machines; those of Grid5000 are used instead."};
  return figure;
}

}  // namespace cuboid::detail::tools
