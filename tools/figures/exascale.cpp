#include "models/messages/machine.hpp"
#include "tools/figures/figure.hpp"
#include "tools/papers/layered_costs.hpp"

#include <array>
#include <cstddef>

namespace cuboid::detail::tools {

namespace {

constexpr double n = 1 << 22;  // fills a plane (Solomonik et al. 2011, §5.3)
constexpr double plane = 64 * 64;
constexpr double element_bytes = 8;

const Machine& machine() {
  static const Machine& exascale = *find_machine("exascale");
  return exascale;
}

double compute_seconds(double flops, double planes) {
  return flops / (machine().flops_per_second * plane * planes);
}

/// The communication time t_c of a multiplication on a number of planes of the torus, in `layers`
/// layers.
double multiplication_seconds(LineCollective collective, double planes, double layers) {
  const double link = machine().link_bytes_per_second();
  const double peak = layers > 1 ? line_peak(machine().between_nodes, collective, layers) : link;
  return layered_multiplication_seconds({n, plane * planes, layers}, element_bytes,
                                        {.multicast = peak, .reduction = peak, .shift = link});
}

double lu_seconds(LineCollective collective, double planes, double layers) {
  return layered_lu_seconds(machine().between_nodes, collective, {n, plane * planes, layers},
                            element_bytes)
      .total();
}

using Communicate = double (*)(LineCollective, double planes, double layers);

/// The three curves of Solomonik et al. 2011, fig 13, and their values on all planes of the torus.
struct Scaling {
  Communicate communicate;
  double flops;

  double efficiency(LineCollective collective, double planes, double layers) const {
    return parallel_efficiency(compute_seconds(flops, planes),
                               communicate(collective, planes, layers));
  }

  std::vector<Curve> curves() const {
    std::vector<Curve> result = {
        {"2D, binomial", {}}, {"2.5D, binomial", {}}, {"2.5D, rectangular", {}}};
    for (double planes = 1; planes <= 64; planes *= 2) {
      const std::array values = {efficiency(LineCollective::binomial, planes, 1),
                                 efficiency(LineCollective::binomial, planes, planes),
                                 efficiency(LineCollective::rectangular, planes, planes)};
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i].points.emplace_back(planes, values[i]);
    }
    return result;
  }
};

Plot plot_of(const char* title, const Scaling& scaling) {
  return {.title = title,
          .x_axis = "planes z of the 64x64xz torus",
          .y_axis = "parallel efficiency",
          .curves = scaling.curves()};
}

}  // namespace

Figure multiplication_at_exascale() {
  const Scaling scaling{multiplication_seconds, 2 * n * n * n};
  Figure figure;
  figure.plot = plot_of("Multiplication at exascale, n = 2^22", scaling);
  figure.comparisons = {
      Comparison(printed("mm-exascale-2d"), scaling.efficiency(LineCollective::binomial, 64, 1))
          .at(64),
      Comparison(printed("mm-exascale-binomial"),
                 scaling.efficiency(LineCollective::binomial, 64, 64))
          .at(64),
      Comparison(printed("mm-exascale-rectangular"),
                 scaling.efficiency(LineCollective::rectangular, 64, 64))
          .at(64)};
  figure.notes = {
      "Blocks shift at the rate of one link; replication and reduction run at the peak rate of "
      "lines in fig 12 (§5.3)."};
  return figure;
}

Figure lu_at_exascale() {
  const Scaling scaling{lu_seconds, 2.0 / 3 * n * n * n};
  const double compute = compute_seconds(scaling.flops, 64);
  const double flat = lu_seconds(LineCollective::binomial, 64, 1);
  const double rectangular = lu_seconds(LineCollective::rectangular, 64, 64);
  Figure figure;
  figure.plot = plot_of("LU without pivoting at exascale, n = 2^22", scaling);
  figure.comparisons = {
      Comparison(printed("lu-exascale-2d"), scaling.efficiency(LineCollective::binomial, 64, 1))
          .at(64),
      Comparison(printed("lu-exascale-binomial"),
                 scaling.efficiency(LineCollective::binomial, 64, 64))
          .at(64),
      Comparison(printed("lu-exascale-rectangular"), parallel_efficiency(compute, rectangular))
          .at(64),
      {printed("lu-exascale-speed-up"), (compute + flat) / (compute + rectangular)},
      {printed("lu-exascale-saved"), 1 - rectangular / flat}};
  figure.notes = {
      "The paper sums the itemised costs of its reference [18], appendix B, which it does not "
      "reprint. Ours sum the steps in its §3.1.3."};
  return figure;
}

}  // namespace cuboid::detail::tools
