#include "models/messages/machine.hpp"
#include "tools/figures/figure.hpp"
#include "tools/papers/one_sided_costs.hpp"
#include "tools/papers/shift_costs.hpp"

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
  figure.comparisons = {{printed("sd-cannon-speed-up"), best}};
  figure.notes = {
      "The paper measured figure 2 (a), whose sizes its text does not give; ours is the best of "
      "these. SD-Cannon shifts over four links, Cannon over two; its further messages cost time of "
      "CPU and DMA (§3), which the model leaves out."};
  return figure;
}

Figure one_sided() {
  constexpr double element_bytes = 8, ranks = 64, side = 8;
  // Network and processors belong to one machine. The paper names its own machines, but gives
  // neither t_w nor t_s.
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
      {"N = 12000, seconds without overlap (eq 1)", overlapped_seconds(parts, 1)},
      {"N = 12000, seconds with overlap (eq 3)", overlapped_seconds(parts, shown_share(parts))},
      {"efficiency without latency, 1/(1 + 2*sqrt(P)/N*t_w)",
       one_sided_efficiency(n, ranks, per_element.beta * multiplications_per_second)},
      {"share of communication hidden, N = 12000", 1 - shown_share(parts)},
      {"N that keeps 90% without overlap, 64 nodes (isoefficiency)",
       std::cbrt(isoefficiency(0.9, ranks, per_element.beta * multiplications_per_second))},
      {"N^3 for 4 times the nodes, over N^3: 4^1.5",
       isoefficiency(0.9, 4 * ranks, per_element.beta * multiplications_per_second) /
           isoefficiency(0.9, ranks, per_element.beta * multiplications_per_second)}};
  figure.notes = {
      "The paper does not give t_w and t_s of its machines. Network and processors here are both "
      "those of Blue Gene/P (Solomonik et al. 2011, §4.5), so the 90% that its Linux cluster hid "
      "(§4) "
      "is no number to compare with."};
  return figure;
}

}  // namespace cuboid::detail::tools
