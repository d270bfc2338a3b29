#include "models/messages/machine.hpp"
#include "tools/figures/figure.hpp"
#include "tools/papers/hierarchical_costs.hpp"

#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr BroadcastModel binomial{BroadcastKind::binomial};
constexpr BroadcastModel van_de_geijn{BroadcastKind::van_de_geijn};

/// T(G) of Quintin et al. 2013, tables I and II with b = B. In these equations, β counts matrix
/// elements.
Figure over_groups(const char* title, const char* machine, double n, double ranks, double block) {
  const Hockney network = hockney(find_machine(machine)->between_nodes);
  const GroupedProduct product{n, ranks, block, block};
  const auto communicate = [&](const BroadcastModel& broadcast, double groups) {
    return hsumma_seconds(network, broadcast, product, groups).total();
  };
  Figure figure;
  figure.plot = {.title = title,
                 .x_axis = "groups G",
                 .y_axis = "seconds of communication",
                 .logarithmic_y = true,
                 .curves = {{"HSUMMA, van de Geijn", {}},
                            {"SUMMA, van de Geijn", {}},
                            {"HSUMMA, binomial", {}},
                            {"SUMMA, binomial", {}}}};
  std::vector<double> candidates;
  for (double groups = 1; groups <= ranks; groups *= 2) {
    candidates.push_back(groups);
    auto& curves = figure.plot.curves;
    curves[0].points.emplace_back(groups, communicate(van_de_geijn, groups));
    curves[1].points.emplace_back(groups, communicate(van_de_geijn, 1));
    curves[2].points.emplace_back(groups, communicate(binomial, groups));
    curves[3].points.emplace_back(groups, communicate(binomial, 1));
  }
  const double root = std::sqrt(ranks);
  const double best = best_groups(network, van_de_geijn, product, candidates);
  figure.comparisons = {
      {fmt::format("alpha/beta; groups pay above 2nb/p = {:.4g} (eq 10)", 2 * n * block / ranks),
       network.alpha / network.beta},
      {fmt::format("best G among powers of two; sqrt(p) = {:.4g} (eqs 9 to 11)", root), best},
      {"HSUMMA's communication at G = sqrt(p), seconds (eq 12)", communicate(van_de_geijn, root)},
      {"SUMMA's communication over HSUMMA's at its best G, van de Geijn",
       communicate(van_de_geijn, 1) / communicate(van_de_geijn, best)}};
  figure.notes = {
      "With the binomial tree and b = B, every G costs the same (table I): log2(p/G) + log2 G = "
      "log2 p.",
      "beta counts matrix elements, as the paper's equations do."};
  return figure;
}

}  // namespace

Figure groups_on_grid5000() {
  return over_groups("HSUMMA on Grid5000, p = 8192, n = 8192, b = 64", "grid5000", 8192, 8192, 64);
}

Figure groups_on_blue_gene() {
  Figure figure = over_groups("HSUMMA on Blue Gene/P, p = 16384, n = 65536, b = 256", "bgp-hsumma",
                              65536, 16384, 256);
  const Hockney network = hockney(find_machine("bgp-hsumma")->between_nodes);
  const auto gain = [&](double ranks) {
    const GroupedProduct product{65536, ranks, 256, 256};
    return summa_seconds(network, van_de_geijn, product).total() /
           hsumma_seconds(network, van_de_geijn, product, optimal_groups(network, product)).total();
  };
  figure.comparisons.emplace_back(printed("groups-2048"), gain(2048));
  figure.comparisons.emplace_back(printed("groups-16384"), gain(16384));
  figure.notes.emplace_back(
      "The paper measured its reductions (figure 8) on a torus, with MPI's broadcasts. Its model, "
      "which ours evaluates, has no contention, and predicts far smaller ones.");
  return figure;
}

Figure groups_at_exascale() {
  Figure figure = over_groups("HSUMMA at exascale, p = 2^20, n = 2^22, b = 256", "exascale-hsumma",
                              1 << 22, 1 << 20, 256);
  figure.notes.emplace_back(
      "The paper gives fig 10's curve only as a figure; its text says that HSUMMA is faster.");
  return figure;
}

}  // namespace cuboid::detail::tools
