#include "tools/bench/bench_product.hpp"

#include "base/page_text.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/multiply/plan_text.hpp"
#include "tools/command/memory.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/output/flag_values.hpp"

#include <cstdint>
#include <ctime>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

/// The extents of C, A and B; m and k are n if they are not given.
ProductSize size_from_flags(const BenchPlanFlags& flags) {
  if (!flags.sizes.empty())
    refuse(fmt::format("--size {}: --operation multiply takes --m, --n and --k", flags.sizes));
  const std::int64_t n = flags.n.value_or(65536);
  return {checked_extent("--m", flags.m.value_or(n)), checked_extent("--n", n),
          checked_extent("--k", flags.k.value_or(n))};
}

PlannedProduct plan(std::string name, const PlanRequest& request, const Rates& rates,
                    const MultiplyOptions& options) {
  PlannedProduct planned{.algorithm = std::move(name)};
  const PeakMemory memory;
  const std::clock_t start = std::clock();
  std::vector<PlanCandidate> candidates = candidates_for(request, rates, options);
  planned.plan_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  planned.peak_bytes = memory.bytes();
  if (!candidates.empty()) planned.best.emplace(std::move(candidates.front()));
  return planned;
}

}  // namespace

ProductPlanningCost bench_product(const BenchPlanFlags& flags) {
  const Machine machine = machine_from_flag(flags.parameters);
  const ShapeSpec spec = network_from_flag(flags.network, machine);
  ProductPlanningCost cost{.shape = spec.shape, .parameters = machine.name};
  cost.size = size_from_flags(flags);
  PlanRequest request{.size = cost.size, .element_bytes = cost.element_bytes};
  request.ranks = static_cast<int>(spec.shape.nodes());
  request.placement = Placement::by_node(spec, 1);
  Rates rates{.network = hockney(machine.between_nodes), .overlap = machine.overlap};
  if (machine.flops_per_second > 0) rates.multiplications_per_second = machine.flops_per_second / 2;
  for (const MultiplicationAlgorithm algorithm : multiplication_algorithms()) {
    cost.products.push_back(
        plan(std::string(to_string(algorithm)), request, rates, {.algorithm = algorithm}));
  }
  cost.products.push_back(plan("auto", request, rates, {}));
  return cost;
}

Json to_json(const ProductPlanningCost& cost) {
  const auto& [m, n, k] = cost.size;
  Json object = {{"operation", "multiply"},
                 {"network", cost.shape.to_string()},
                 {"ranks", cost.shape.nodes()},
                 {"parameters", cost.parameters},
                 {"m", m},
                 {"n", n},
                 {"k", k},
                 {"results", Json::array()}};
  for (const PlannedProduct& product : cost.products) {
    const auto& best = product.best;
    object["results"].push_back(
        {{"algorithm", product.algorithm},
         {"plan_seconds", product.plan_seconds},
         {"peak_bytes", product.peak_bytes},
         {"predicted_seconds", best ? Json(best->seconds) : Json(nullptr)},
         {"words", best ? Json(best->words) : Json(nullptr)},
         {"plan",
          best ? Json(fmt::format("{} on {}", to_string(best->algorithm), describe_grid(*best)))
               : Json(nullptr)}});
  }
  return object;
}

std::string to_text(const ProductPlanningCost& cost) {
  const auto& [m, n, k] = cost.size;
  std::string text = fmt::format("# {} x {} x {} (m x n x k) on {}, {} ranks, {}\n", m, n, k,
                                 cost.shape.to_string(), cost.shape.nodes(), cost.parameters);
  std::vector<PageRow> rows;
  for (const PlannedProduct& product : cost.products) {
    const auto& best = product.best;
    rows.push_back(
        {.section = "",
         .cells = {product.algorithm, fmt::format("{:.2f}", product.plan_seconds * 1e3),
                   fmt::format("{:.2f}", static_cast<double>(product.peak_bytes) * 1e-6),
                   best ? fmt::format("{:.5g}", best->seconds) : "-",
                   best ? fmt::format("{:.6g}", best->words) : "-",
                   best ? fmt::format("{} on {}", to_string(best->algorithm), describe_grid(*best))
                        : "cannot run"}});
  }
  text += page_table({"algorithm", "plan ms", "peak MB", "predicted s", "words", "plan"}, 1, rows);
  return text;
}

}  // namespace cuboid::detail::tools
