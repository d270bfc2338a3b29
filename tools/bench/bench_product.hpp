#pragma once

#include <cuboid/shape.hpp>

#include "mm/plan/planner.hpp"
#include "tools/bench/bench_plan.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The cost, to one rank, of planning a product with one algorithm or with the best of all.
struct PlannedProduct {
  std::string algorithm;                             ///< "auto": the best of all algorithms
  double plan_seconds = 0;                           ///< processor time
  std::size_t peak_bytes = 0;                        ///< memory that planning needs
  std::optional<PlanCandidate> best = std::nullopt;  ///< nullopt if the algorithm cannot run
};

/// The result of `cuboid bench plan --operation multiply`.
struct ProductPlanningCost {
  Shape shape;
  std::string parameters;
  std::size_t element_bytes = sizeof(double);
  ProductSize size = {};
  std::vector<PlannedProduct> products = {};
};

/// Plans a product on all nodes of a network: with each algorithm alone, and with all together.
/// Throws Error(invalid_argument) naming the flag, its value and the values it can have.
ProductPlanningCost bench_product(const BenchPlanFlags& flags);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const ProductPlanningCost& cost);
std::string to_text(const ProductPlanningCost& cost);

}  // namespace cuboid::detail::tools
