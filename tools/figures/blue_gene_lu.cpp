#include "models/factorisation/lu_seconds.hpp"
#include "models/messages/machine.hpp"
#include "models/papers/layered_costs.hpp"
#include "tools/figures/figure.hpp"

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
/// pipelined multicasts. In a 2-D grid each node sends over one link; along a line of the torus,
/// which is a ring, it sends over both.
double tournament_seconds(std::int64_t n, int side, int layers, double line_links) {
  const auto block =
      static_cast<std::int64_t>(static_cast<double>(n) / std::sqrt(nodes_of_figure_6 * layers));
  const LogGP& network = blue_gene().between_nodes;
  return lu_seconds(LuSchedule(n, n, block, side, side, layers), LuPivotCost::tournament,
                    {.network = {network.latency + network.send_overhead + network.receive_overhead,
                                 network.byte_gap},
                     .links = {line_links, line_links, line_links},
                     .multiplications_per_second = std::numeric_limits<double>::infinity()})
      .total();
}

double share_saved(double flat, double layered) {
  return 1 - layered / flat;
}

/// The share of communication that 2.5D LU saves compared with 2-D LU, whose lines use binomial
/// multicasts because it cannot use rectangular ones (§3.2.1).
double saved_without_pivoting(double n, LineCollective collective) {
  const double flat = communication_seconds(LineCollective::binomial, {n, nodes_of_figure_6, 1});
  return share_saved(flat,
                     communication_seconds(collective, {n, nodes_of_figure_6, layers_of_figure_6}));
}

double saved_with_tournament(std::int64_t n) {
  return share_saved(tournament_seconds(n, 128, 1, 1), tournament_seconds(n, 32, 16, 2));
}

}  // namespace

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
  for (const Curve& curve : figure.plot.curves) {
    figure.comparisons.push_back(
        {.what = "efficiency on 2048 nodes, " + curve.name, .ours = curve.points.back().second});
  }
  figure.notes = {
      "The paper's figure prints no numbers. As in the figure, 256 nodes are one layer, 2048 nodes "
      "eight "
      "(§3.2)."};
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
  const std::string no_overlap =
      "the paper measured MPI calls, 2-D LU with one process per node; ours are the steps of its "
      "§3.1.3 without idle time, all at the rate of the torus's links";
  const auto compare = [&](const char* what, double ours, double paper, const std::string& why) {
    Comparison comparison{.what = what, .ours = ours, .paper = paper, .where = "§3.2.2"};
    if (std::abs(*comparison.difference()) > agreement) comparison.why = why;
    figure.comparisons.push_back(comparison);
  };
  compare("communication saved without pivoting, rectangular",
          saved_without_pivoting(n, LineCollective::rectangular), 0.819, no_overlap);
  compare("communication saved without pivoting, binomial",
          saved_without_pivoting(n, LineCollective::binomial), 0.819, no_overlap);
  compare("communication saved with tournament pivoting", saved_with_tournament(largest), 0.859,
          "ours is Cuboid's own schedule, whose 2-D LU pipelines its multicasts and so "
          "communicates less than that of the paper");
  compare("speed-up without pivoting, rectangular", (compute + flat) / (compute + layered), 2.1,
          no_overlap + "; it counts idle time, too");
  return figure;
}

}  // namespace cuboid::detail::tools
