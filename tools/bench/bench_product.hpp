#pragma once

#include <cuboid/shape.hpp>

#include "mm/plan/planner.hpp"
#include "tools/bench/bench_plan.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// What it costs a rank to plan a product with an algorithm, or with the best of all.
struct PlannedProduct {
  std::string algorithm;                             ///< "auto" of all
  double plan_seconds = 0;                           ///< of the processor
  std::size_t peak_bytes = 0;                        ///< memory that planning takes
  std::optional<PlanCandidate> best = std::nullopt;  ///< none where it cannot run
};

/// The result of `cuboid bench plan --operation multiply`.
struct ProductPlanningCost {
  Shape shape;
  std::string parameters;
  std::size_t element_bytes = sizeof(double);
  ProductSize size = {};
  std::vector<PlannedProduct> products = {};
};

/// Plans a product on all nodes of a network, each algorithm alone and all together. Throws
/// Error(invalid_argument) naming the flag, its value and what it can be.
ProductPlanningCost bench_product(const BenchPlanFlags& flags);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const ProductPlanningCost& cost);
std::string to_text(const ProductPlanningCost& cost);

}  // namespace cuboid::detail::tools
