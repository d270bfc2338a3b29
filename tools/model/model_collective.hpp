#pragma once

#include <cuboid/shape.hpp>

#include "collectives/types/collective.hpp"
#include "models/messages/machine.hpp"
#include "tools/command/command.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The flags of `cuboid model OPERATION`, as the user gave them.
struct ModelCollectiveFlags {
  std::string operation;
  std::string network;
  /// What is modelled where this machine has no parameters, see default_parameters().
  static constexpr const char* paper_machine = "bgp";
  std::string parameters = paper_machine;
  std::string sizes = "1K:64M";
  std::string algorithm = "auto";
  std::string svg;
  bool simulate = false;
  bool json = false;
};

/// The prediction for one algorithm and one message size.
struct ModelledCollective {
  std::size_t bytes = 0;
  std::string algorithm;
  std::string source;  ///< source of the formula: "engine", or a paper's equation
  double seconds = 0;
  std::optional<double> simulated_seconds = {};  ///< from the simulator, if it was asked for
  /// Upper bound by cuts in bytes of the message per second; nullopt if there is none.
  std::optional<double> bound = {};

  /// Bytes of the message divided by the seconds.
  double rate() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
};

/// The result of `cuboid model OPERATION`.
struct CollectiveModel {
  Operation operation = Operation::broadcast;
  Machine machine;
  Shape shape;
  bool simulated = false;
  std::vector<ModelledCollective> rows;
};

/// Declares the flags.
void declare_flags(CLI::App& command, ModelCollectiveFlags& flags);

/// Called with the rows so far before the next ones are computed: their message size, and a name.
using BeforeRows =
    std::function<void(const CollectiveModel& so_far, std::size_t bytes, const std::string& next)>;

/// Throws Error(invalid_argument) naming the flag, its value and the values it can have.
CollectiveModel model_collective(const ModelCollectiveFlags& flags, const BeforeRows& before);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const CollectiveModel& model);
std::string to_text(const CollectiveModel& model);

/// Computes, prints and plots the predictions.
ExitCode run_model_collective(const ModelCollectiveFlags& flags);

}  // namespace cuboid::detail::tools
