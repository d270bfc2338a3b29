#pragma once

#include "mm/qr/qr_plan.hpp"
#include "models/messages/machine.hpp"
#include "tools/command/command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid model qr`, as the user gave them.
struct ModelQrFlags {
  std::optional<std::int64_t> m;
  std::optional<std::int64_t> n;
  std::optional<int> ranks;
  std::string network;  ///< grids are mapped onto it with a rank per node; empty: unknown
  std::optional<std::int64_t> block;
  std::string parameters = "exascale";
  std::optional<double> flops;
  bool json = false;
};

/// The result of `cuboid model qr`.
struct QrModel {
  Machine machine;
  std::int64_t m = 0;
  std::int64_t n = 0;
  int ranks = 1;
  std::vector<QrPlan> plans;  ///< soonest done first
  double bound_words = 0;     ///< lower bound for the memory of the first, as an order of magnitude
};

/// Declares the flags.
void declare_flags(CLI::App& command, ModelQrFlags& flags);

/// Models the schedule that `cuboid qr` runs. Throws Error(invalid_argument) naming the flag, its
/// value and the values it can have.
QrModel model_qr(const ModelQrFlags& flags);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const QrModel& model);
std::string to_text(const QrModel& model);

/// Computes and prints the predictions.
ExitCode run_model_qr(const ModelQrFlags& flags);

}  // namespace cuboid::detail::tools
