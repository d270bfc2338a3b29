#pragma once

#include <cuboid/grid.hpp>

#include "models/messages/machine.hpp"
#include "tools/command/command.hpp"
#include "tools/model/model_lines.hpp"
#include "tools/papers/layered_costs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The flags of `cuboid model lu`, as the user gave them.
struct ModelLuFlags {
  std::optional<double> n;
  std::optional<int> ranks;
  std::optional<int> layers;
  std::string network;  ///< grids are mapped onto it with a rank per node; empty: unknown
  std::string lines = "all";
  /// What is modelled where this machine has no parameters, see default_parameters().
  static constexpr const char* paper_machine = "exascale";
  std::string parameters = paper_machine;
  std::optional<double> flops;
  bool json = false;
};

/// The prediction for one number of layers and kind of lines.
struct ModelledLu {
  LayeredProblem problem;
  LineMulticast lines = LineMulticast::rectangular;
  LayeredLuSeconds communicate;
  double memory_bytes = 0;  ///< bytes of a rank's part of the copies
  /// A rank's words and messages in the schedule that `cuboid lu` runs, without pivoting, on the
  /// squarest grid of layers and in blocks of n/√(Pc).
  CommunicationCost scheduled;
  /// Time of this schedule on the network, with its lines on lines of the torus; nullopt if the
  /// network is unknown or no grid's lines are lines of it.
  std::optional<double> scheduled_seconds;
  CommunicationCost bound;  ///< lower bound, as an order of magnitude
  bool fits = true;         ///< fits in a node's memory, if that is known
};

/// The result of `cuboid model lu`.
struct LuModel {
  Machine machine;
  std::optional<Placement> placement;  ///< placement on the network, if one was given
  double compute_seconds = 0;          ///< 0 if the flop rate is unknown
  std::vector<ModelledLu> rows;        ///< ordered by layers
};

/// Declares the flags.
void declare_flags(CLI::App& command, ModelLuFlags& flags);

/// Models 2D and 2.5D LU without pivoting (Solomonik et al. 2011, §3.1.3). Throws
/// Error(invalid_argument) naming the flag, its value and the values it can have.
LuModel model_lu(const ModelLuFlags& flags);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const LuModel& model);
std::string to_text(const LuModel& model);

/// Computes and prints the predictions.
ExitCode run_model_lu(const ModelLuFlags& flags);

}  // namespace cuboid::detail::tools
