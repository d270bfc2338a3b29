#pragma once

#include <cuboid/grid.hpp>

#include "models/messages/machine.hpp"
#include "models/papers/layered_costs.hpp"
#include "tools/command/command.hpp"
#include "tools/model/model_lines.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The flags of `cuboid model lu` as the user gave them.
struct ModelLuFlags {
  std::optional<double> n;
  std::optional<int> ranks;
  std::optional<int> layers;
  std::string network;  ///< that grids are mapped onto, a rank per node; empty: unknown
  std::string lines = "all";
  std::string parameters = "exascale";
  std::optional<double> flops;
  bool json = false;
};

/// One way to factorise.
struct ModelledLu {
  LayeredProblem problem;
  LineMulticast lines = LineMulticast::rectangular;
  LayeredLuSeconds communicate;
  double memory_bytes = 0;  ///< of a rank, for its part of the copies
  /// Of the schedule that `cuboid lu` runs, without pivoting: a rank's words and messages, on the
  /// squarest grid of layers and in blocks of n/√(Pc).
  CommunicationCost scheduled;
  /// That schedule's time on the network, with its lines where the torus has them; nullopt where no
  /// network is known or its lines are none of a grid's.
  std::optional<double> scheduled_seconds;
  CommunicationCost bound;  ///< the least, as an order of magnitude
  bool fits = true;         ///< in a node's memory, where that is known
};

/// The result of `cuboid model lu`.
struct LuModel {
  Machine machine;
  std::optional<Placement> placement;  ///< on the network, if one was given
  double compute_seconds = 0;          ///< 0 if the flop rate is unknown
  std::vector<ModelledLu> rows;        ///< by layers
};

/// Declares the flags.
void declare_flags(CLI::App& command, ModelLuFlags& flags);

/// 2D and 2.5D LU without pivoting (Solomonik et al. 2011, §3.1.3). Throws Error(invalid_argument)
/// naming the flag, its value and what it can be.
LuModel model_lu(const ModelLuFlags& flags);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const LuModel& model);
std::string to_text(const LuModel& model);

/// Models and prints.
ExitCode run_model_lu(const ModelLuFlags& flags);

}  // namespace cuboid::detail::tools
