#pragma once

#include "mm/qr/qr_plan.hpp"
#include "models/messages/machine.hpp"
#include "tools/command/command.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid model qr` and `cuboid model cholesky`, as the user gave them.
struct ModelFactorisationFlags {
  std::optional<std::int64_t> n;
  std::optional<int> ranks;
  std::string network;  ///< grids are mapped onto it with a rank per node; empty: unknown
  std::optional<std::int64_t> block;
  /// What is modelled where this machine has no parameters, see default_parameters().
  static constexpr const char* paper_machine = "exascale";
  std::string parameters = paper_machine;
  std::optional<double> flops;
  bool json = false;
};

struct ModelQrFlags : ModelFactorisationFlags {
  std::optional<std::int64_t> m;
};

struct ModelCholeskyFlags : ModelFactorisationFlags {
  std::optional<int> layers;
};

/// The costs of the plans of a factorisation on a machine.
template <class Plan>
struct FactorisationModel {
  Machine machine;
  FactoriseRequest request;
  /// The fastest plan first. Contains the few fastest plans; for Cholesky also the fastest plan of
  /// each number of layers.
  std::vector<Plan> plans;
  std::size_t candidates = 0;  ///< the number of plans that were compared
  double bound_words = 0;      ///< lower bound for the first plan's memory; an order of magnitude
};
using QrModel = FactorisationModel<QrPlan>;
using CholeskyModel = FactorisationModel<FactorisePlan>;

/// Declares the flags.
void declare_flags(CLI::App& command, ModelQrFlags& flags);
void declare_flags(CLI::App& command, ModelCholeskyFlags& flags);

/// Models the schedule that `cuboid qr` or `cuboid lu --cholesky` runs. Throws
/// Error(invalid_argument), which names the flag, its value and its allowed values.
QrModel model_qr(const ModelQrFlags& flags);
CholeskyModel model_cholesky(const ModelCholeskyFlags& flags);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const QrModel& model);
nlohmann::ordered_json to_json(const CholeskyModel& model);
std::string to_text(const QrModel& model);
std::string to_text(const CholeskyModel& model);

/// Computes and prints the predictions.
ExitCode run_model_qr(const ModelQrFlags& flags);
ExitCode run_model_cholesky(const ModelCholeskyFlags& flags);

}  // namespace cuboid::detail::tools
