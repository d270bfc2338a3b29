#pragma once

#include <cuboid/shape.hpp>

#include "collectives/types/collective.hpp"
#include "tools/command/command.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The flags of `cuboid bench plan`, as the user gave them.
struct BenchPlanFlags {
  std::string network;
  std::string parameters = "bgp";
  std::string operation = "allreduce";
  std::string sizes;  ///< 64 MiB if empty
  int rank = 1;
  std::optional<std::int64_t> m = std::nullopt;  ///< rows of C; n if unset
  std::optional<std::int64_t> n = std::nullopt;  ///< columns of C; 65536 if unset
  std::optional<std::int64_t> k = std::nullopt;
  bool json = false;
};

/// The cost, to one rank of many, of planning a call that it has not made before.
struct PlannedCall {
  std::size_t bytes = 0;
  std::string algorithm;
  double select_seconds = 0;
  double plan_seconds = 0;
  std::size_t peak_bytes = 0;  ///< peak memory of selection and planning, including the plan
  std::size_t steps = 0;
  double predicted_seconds = 0;
  std::optional<double> fraction_of_bound = {};  ///< predicted rate divided by the network's bound
};

/// The result of `cuboid bench plan`.
struct PlanningCost {
  Operation operation = Operation::allreduce;
  Shape shape;
  std::string parameters;
  int rank = 0;
  std::vector<PlannedCall> calls;
};

/// Declares the flags.
void declare_flags(CLI::App& command, BenchPlanFlags& flags);

/// Plans the calls, without a network. Throws Error(invalid_argument) naming the flag, its value
/// and the values it can have.
PlanningCost bench_plan(const BenchPlanFlags& flags);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const PlanningCost& cost);
std::string to_text(const PlanningCost& cost);

}  // namespace cuboid::detail::tools
