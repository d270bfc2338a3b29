#pragma once

#include <cuboid/element.hpp>

#include "mm/plan/planner.hpp"
#include "models/messages/machine.hpp"
#include "tools/command/command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The flags of `cuboid model mm` as the user gave them.
struct ModelMmFlags {
  std::optional<std::int64_t> m, n, k;
  std::optional<int> ranks;
  std::string algorithm = "all";
  std::string parameters = "bgp";
  std::string type = "d";
  std::string memory;  ///< per rank, as parse_bytes() reads it; empty: the machine's
  std::optional<double> flops;
  std::string svg;
  bool json = false;
};

/// The result of `cuboid model mm`.
struct MmModel {
  Machine machine;
  PlanRequest request;
  ElementType type = ElementType::float64;
  bool computes = false;                  ///< whether the flop rate is known
  std::vector<PlanCandidate> candidates;  ///< the best of each algorithm, the soonest first
};

/// Declares the flags.
void declare_flags(CLI::App& command, ModelMmFlags& flags);

/// Throws Error(invalid_argument) naming the flag, its value and what it can be.
MmModel model_mm(const ModelMmFlags& flags);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const MmModel& model);
std::string to_text(const MmModel& model);

/// Models, prints and plots.
ExitCode run_model_mm(const ModelMmFlags& flags);

}  // namespace cuboid::detail::tools
