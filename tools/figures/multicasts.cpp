#include "models/messages/machine.hpp"
#include "models/messages/torus_costs.hpp"
#include "tools/figures/figure.hpp"

#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr double megabyte = 1e6;

using CostFunction = double (*)(const LogGP&, const Partition&, double);

double bandwidth_of(CostFunction seconds, const LogGP& network, const Partition& where,
                    double bytes) {
  return bytes / seconds(network, where, bytes) / megabyte;
}

Curve bandwidths(std::string name, CostFunction seconds, const LogGP& network,
                 const Partition& where, double first, double last) {
  Curve curve{std::move(name), {}};
  for (double bytes = first; bytes <= last; bytes *= 2)
    curve.points.emplace_back(bytes, bandwidth_of(seconds, network, where, bytes));
  return curve;
}

/// The models' curves of Solomonik et al. 2011, figs 7 to 9, from 1 KiB to 64 MiB.
Figure on_blue_gene(double dimensions, const char* shape) {
  const Machine& machine = *find_machine("bgp");
  const LogGP& network = machine.between_nodes;
  const Partition where = cube(8, dimensions);
  constexpr double first = 1 << 10, last = 1 << 26, long_message = 1e12;
  Figure figure;
  figure.plot = {.title = fmt::format("Multicast on {} nodes of Blue Gene/P", shape),
                 .x_axis = "message, bytes",
                 .y_axis = "MB/s",
                 .curves = {bandwidths("rectangular (eq 6)", rectangular_multicast_seconds, network,
                                       where, first, last),
                            bandwidths("binomial (eq 9)", binomial_multicast_seconds, network,
                                       where, first, last)}};
  const double link = machine.link_bytes_per_second() / megabyte;
  const double binomial =
      bandwidth_of(binomial_multicast_seconds, network, where, long_message) / link;
  if (dimensions == 1) {
    figure.comparisons.emplace_back(printed("binomial-ring-model"), binomial);
    figure.comparisons.emplace_back(
        printed("binomial-ring-measured"), binomial,
        "eq 9 has no contention: three trees over two links, 2/3. Two of the three share a link of "
        "the root, which so sends the message twice: 1/2");
  } else {
    figure.comparisons.emplace_back("binomial, longest messages, links", binomial);
  }
  figure.notes = {
      "The paper gives its curves only as figures; these are drawn from its equations."};
  return figure;
}

}  // namespace

Figure multicast_on_ring() {
  return on_blue_gene(1, "8");
}

Figure multicast_on_grid() {
  return on_blue_gene(2, "8x8");
}

Figure multicast_on_cube() {
  return on_blue_gene(3, "8x8x8");
}

Figure multicast_at_exascale() {
  const LogGP& network = find_machine("exascale")->between_nodes;
  constexpr double first = 1 << 10, last = 1 << 30, long_message = 1e15;
  Figure figure;
  figure.plot = {.title = "Multicast at exascale",
                 .x_axis = "message, bytes",
                 .y_axis = "MB/s",
                 .logarithmic_y = true,
                 .curves = {}};
  double ring_peak = 0;
  for (const double dimensions : {1.0, 2.0, 3.0}) {
    const Partition where = cube(64, dimensions);
    figure.plot.curves.push_back(bandwidths(fmt::format("rectangular, {:.0f}D", dimensions),
                                            rectangular_multicast_seconds, network, where, first,
                                            last));
    figure.plot.curves.push_back(bandwidths(fmt::format("binomial, {:.0f}D", dimensions),
                                            binomial_multicast_seconds, network, where, first,
                                            last));
    const double peak = bandwidth_of(binomial_multicast_seconds, network, where, long_message);
    if (dimensions == 1) {
      ring_peak = peak;
      continue;
    }
    figure.comparisons.emplace_back(
        fmt::format("binomial's peak, {:.0f}D over 1D (§5.2: the same)", dimensions),
        peak / ring_peak);
  }
  const Partition all = cube(64, 3);
  const double peak = bandwidth_of(rectangular_multicast_seconds, network, all, long_message);
  const auto share_of_peak = [&](double bytes) {
    return bandwidth_of(rectangular_multicast_seconds, network, all, bytes) / peak;
  };
  figure.comparisons.emplace_back("rectangular, 3D, 1 GB: share of the peak (§5.2: reached)",
                                  share_of_peak(1e9));
  figure.comparisons.emplace_back("rectangular, 3D, 1 MB: share of the peak", share_of_peak(1e6));
  return figure;
}

}  // namespace cuboid::detail::tools
