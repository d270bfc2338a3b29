#include "models/messages/machine.hpp"
#include "models/papers/layered_costs.hpp"
#include "tools/figures/figure.hpp"

#include <fmt/format.h>

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

/// t_c of a multiplication on a number of planes of the torus, in `layers` layers.
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
  figure.comparisons = {{.what = "efficiency on 64 planes, 2D, binomial",
                         .ours = scaling.efficiency(LineCollective::binomial, 64, 1),
                         .paper = 0.80,
                         .where = "§1"},
                        {.what = "efficiency on 64 planes, 2.5D, binomial",
                         .ours = scaling.efficiency(LineCollective::binomial, 64, 64),
                         .paper = 0.87,
                         .where = "§1"},
                        {.what = "efficiency on 64 planes, 2.5D, rectangular",
                         .ours = scaling.efficiency(LineCollective::rectangular, 64, 64),
                         .paper = 0.95,
                         .where = "§1"}};
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
  const std::string why =
      "the paper sums the itemised costs of its reference [18], appendix B, which it does not "
      "reprint; ours sum the steps in its §3.1.3";
  Figure figure;
  figure.plot = plot_of("LU without pivoting at exascale, n = 2^22", scaling);
  const auto compare = [&](const char* what, double ours, double paper, const char* where) {
    Comparison comparison{.what = what, .ours = ours, .paper = paper, .where = where};
    if (std::abs(*comparison.difference()) > agreement) comparison.why = why;
    figure.comparisons.push_back(comparison);
  };
  compare("efficiency on 64 planes, 2D, binomial",
          scaling.efficiency(LineCollective::binomial, 64, 1), 0.20, "§1");
  compare("efficiency on 64 planes, 2.5D, binomial",
          scaling.efficiency(LineCollective::binomial, 64, 64), 0.42, "§1");
  compare("efficiency on 64 planes, 2.5D, rectangular", parallel_efficiency(compute, rectangular),
          0.80, "§1");
  compare("speed-up of 2.5D rectangular over 2D", (compute + flat) / (compute + rectangular), 4.5,
          "§5.4");
  compare("share of 2D's communication that 2.5D rectangular saves", 1 - rectangular / flat, 0.95,
          "§5.4");
  return figure;
}

}  // namespace cuboid::detail::tools
