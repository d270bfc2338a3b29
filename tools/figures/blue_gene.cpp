#include "models/factorisation/factorisation_costs.hpp"
#include "models/messages/machine.hpp"
#include "tools/figures/figure.hpp"
#include "tools/papers/layered_costs.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cuboid::detail::tools {

namespace {

constexpr double bytes_of_element = 8;
constexpr double nodes_of_figure_6 = 16384;
constexpr double layers_of_figure_6 = 16;  // on 16×32×32 nodes (Solomonik et al. 2011, §3.2)
constexpr std::int64_t largest = 131072;

const Machine& blue_gene() {
  static const Machine& machine = *find_machine("bgp");
  return machine;
}

double lu_compute_seconds(double n, double nodes) {
  return 2.0 / 3 * n * n * n / (blue_gene().flops_per_second * nodes);
}

/// The communication time of the steps in §3.1.3, without pivoting.
double communication_seconds(LineCollective collective, const LayeredProblem& problem) {
  return layered_lu_seconds(blue_gene().between_nodes, collective, problem, bytes_of_element)
      .total();
}

/// The communication time of Cuboid's own schedule, with tournament pivoting, blocks of n/√(Pc) and
/// pipelined multicasts. In a 2-D grid each node sends over one link. Along a line of the torus,
/// which is a ring, it sends over two links.
double tournament_seconds(std::int64_t n, int side, int layers, double line_links) {
  const auto block =
      static_cast<std::int64_t>(static_cast<double>(n) / std::sqrt(nodes_of_figure_6 * layers));
  return lu_cost(PanelSchedule(n, n, block, side, side, layers), LuPivotCost::tournament,
                 {.network = hockney(blue_gene().between_nodes),
                  .links = {line_links, line_links, line_links},
                  .multiplications_per_second = std::numeric_limits<double>::infinity()})
      .seconds.total();
}

double share_saved(double flat, double layered) {
  return 1 - layered / flat;
}

/// The share of communication that 2.5D LU saves compared with 2-D LU. The lines of 2-D LU use
/// binomial multicasts, because they cannot use rectangular multicasts (§3.2.1).
double saved_without_pivoting(double n, LineCollective collective) {
  const double flat = communication_seconds(LineCollective::binomial, {n, nodes_of_figure_6, 1});
  return share_saved(flat,
                     communication_seconds(collective, {n, nodes_of_figure_6, layers_of_figure_6}));
}

double saved_with_tournament(std::int64_t n) {
  return share_saved(tournament_seconds(n, 128, 1, 1), tournament_seconds(n, 32, 16, 2));
}

}  // namespace

Figure multiplication_on_blue_gene() {
  constexpr double c = layers_of_figure_6, P = nodes_of_figure_6;
  const double link = blue_gene().link_bytes_per_second();
  const auto compute = [](double n) { return 2 * n * n * n / (blue_gene().flops_per_second * P); };
  const auto communicate = [&](double n, double layers, double multicast, double step) {
    return layered_multiplication_seconds({n, P, layers}, bytes_of_element,
                                          {multicast, multicast, step});
  };
  const auto line = [](LineCollective collective, double extent) {
    return line_peak(blue_gene().between_nodes, collective, extent);
  };
  // A line of a layer has 32 ranks; there are 16 layers; a line of the flat grid has 128 ranks.
  const double rectangular = line(LineCollective::rectangular, c);
  const double flat_line = line(LineCollective::binomial, std::sqrt(P));
  const auto layered = [&](double n) { return communicate(n, c, rectangular, rectangular); };
  const auto summa = [&](double n) { return communicate(n, 1, link, flat_line); };
  // A's and B's blocks shift at the same time, over one link each.
  const auto cannon = [&](double n) { return communicate(n, 1, link, 2 * link); };
  Figure figure;
  figure.plot = {.title = "Multiplication on 16,384 nodes of Blue Gene/P, 16 layers",
                 .x_axis = "n",
                 .y_axis = "parallel efficiency",
                 .curves = {{"2D SUMMA, binomial", {}}, {"2D Cannon", {}}, {"2.5D SUMMA", {}}}};
  for (std::int64_t extent = 4096; extent <= largest; extent *= 2) {
    const auto n = static_cast<double>(extent);
    const std::array seconds = {summa(n), cannon(n), layered(n)};
    for (std::size_t i = 0; i < seconds.size(); ++i)
      figure.plot.curves[i].points.emplace_back(n, parallel_efficiency(compute(n), seconds[i]));
  }
  constexpr double small = 8192, large = largest;
  figure.comparisons = {
      Comparison(printed("mm-8192-efficiency"), parallel_efficiency(compute(small), layered(small)))
          .at(small),
      {printed("mm-8192-speed-up"),
       (compute(small) + cannon(small)) / (compute(small) + layered(small)),
       "shifts of a 128x128 grid share links of the 16x32x32 torus. As the planner maps it, "
       "Cannon takes 8.5 times as long (`cuboid experiment rectangular-fig5a --model`)"},
      Comparison(printed("mm-131072-efficiency"),
                 parallel_efficiency(compute(large), layered(large)))
          .at(large),
      {printed("mm-131072-petaflops"),
       2 * large * large * large / (compute(large) + layered(large)) / 1e15},
      {printed("mm-131072-saved"), share_saved(summa(large), layered(large))}};
  figure.notes = {
      "The paper measured these. Ours are compute at peak rate and words at peak rates of links "
      "and "
      "lines (§5.3), without idle time, latency, or links that messages share."};
  return figure;
}

Figure lu_strong_scaling() {
  constexpr double n = 65536, nodes_of_a_layer = 256;
  Figure figure;
  figure.plot = {
      .title = "LU without pivoting on Blue Gene/P, n = 65536",
      .x_axis = "nodes",
      .y_axis = "parallel efficiency",
      .curves = {{"2D, binomial", {}}, {"2.5D, binomial", {}}, {"2.5D, rectangular", {}}}};
  for (double layers = 1; layers <= 8; layers *= 2) {
    const double nodes = nodes_of_a_layer * layers;
    const auto efficiency = [&](LineCollective collective, double c) {
      return parallel_efficiency(lu_compute_seconds(n, nodes),
                                 communication_seconds(collective, {n, nodes, c}));
    };
    figure.plot.curves[0].points.emplace_back(nodes, efficiency(LineCollective::binomial, 1));
    figure.plot.curves[1].points.emplace_back(nodes, efficiency(LineCollective::binomial, layers));
    figure.plot.curves[2].points.emplace_back(nodes,
                                              efficiency(LineCollective::rectangular, layers));
  }
  for (const Curve& curve : figure.plot.curves)
    figure.comparisons.emplace_back("efficiency on 2048 nodes, " + curve.name,
                                    curve.points.back().second);
  figure.notes = {
      "The paper measured figure 4 (b), which prints no numbers. As there, 256 nodes are one "
      "layer, "
      "2048 nodes eight (§3.2)."};
  return figure;
}

Figure lu_communication_saved() {
  Figure figure;
  figure.plot = {.title = "2.5D LU on 16,384 nodes of Blue Gene/P, 16 layers",
                 .x_axis = "n",
                 .y_axis = "saved share of 2-D LU's communication",
                 .curves = {{"no pivoting, rectangular", {}},
                            {"no pivoting, binomial", {}},
                            {"tournament, Cuboid's schedule", {}}}};
  for (std::int64_t n = 8192; n <= largest; n *= 2) {
    const auto x = static_cast<double>(n);
    figure.plot.curves[0].points.emplace_back(
        x, saved_without_pivoting(x, LineCollective::rectangular));
    figure.plot.curves[1].points.emplace_back(x,
                                              saved_without_pivoting(x, LineCollective::binomial));
    figure.plot.curves[2].points.emplace_back(x, saved_with_tournament(n));
  }

  const auto n = static_cast<double>(largest);
  const double compute = lu_compute_seconds(n, nodes_of_figure_6);
  const double flat = communication_seconds(LineCollective::binomial, {n, nodes_of_figure_6, 1});
  const double layered = communication_seconds(LineCollective::rectangular,
                                               {n, nodes_of_figure_6, layers_of_figure_6});
  figure.comparisons = {
      Comparison(printed("lu-saved"), saved_without_pivoting(n, LineCollective::rectangular)).at(n),
      Comparison(printed("lu-saved-tournament"), saved_with_tournament(largest)).at(n),
      {printed("lu-speed-up"), (compute + flat) / (compute + layered)}};
  figure.notes = {
      "The paper measured the time in MPI calls and idle time, with 2-D LU on one process per "
      "node. "
      "Ours are the steps of its §3.1.3 at the rate of the torus's links, without idle time; with "
      "tournament pivoting those of Cuboid's schedule, whose 2-D LU pipelines its multicasts."};
  return figure;
}

}  // namespace cuboid::detail::tools
