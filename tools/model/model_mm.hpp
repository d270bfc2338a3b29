#pragma once

#include <cuboid/element.hpp>

#include "mm/plan/planner.hpp"
#include "models/messages/machine.hpp"
#include "tools/command/command.hpp"
#include "tools/mm/algorithm_flags.hpp"
#include "tools/model/model_lines.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The flags of `cuboid model mm`, as the user gave them.
struct ModelMmFlags : AlgorithmFlags {
  std::optional<std::int64_t> m, n, k;
  std::optional<int> ranks;
  std::string algorithm = "all";
  /// What is modelled where this machine has no parameters, see default_parameters().
  static constexpr const char* paper_machine = "bgp";
  std::string parameters = paper_machine;
  std::string type = "d";
  std::string network;  ///< grids are mapped onto it with a rank per node; empty: unknown
  std::string lines = "all";
  std::optional<double> joules_per_byte, joules_per_flop;
  std::string memory;  ///< memory per rank, in the syntax of parse_bytes(); empty: the machine's
  std::optional<double> flops;
  std::optional<double> overlap;  ///< overlap instead of the machine's
  std::string broadcast;  ///< broadcast of panels, see Rates; empty: as `cuboid mm` sends them
  std::optional<std::int64_t> word_bytes;
  std::optional<int> ranks_per_node;  ///< each has its share of the node
  std::string svg;
  bool json = false;
};

/// A rough model of the energy of computation and communication: every rank is as busy as the
/// busiest one, and every word crosses one link.
struct Energy {
  double joules_per_byte = 0;  ///< energy of a byte over a link
  double joules_per_flop = 0;

  /// Energy of all ranks.
  double joules(double ranks, double flops, double bytes) const {
    return ranks * (flops * joules_per_flop + bytes * joules_per_byte);
  }
};

/// The result of `cuboid model mm`.
struct MmModel {
  Machine machine;
  PlanRequest request;
  ElementType type = ElementType::float64;
  std::optional<BroadcastModel> broadcast;  ///< see Rates
  bool computes = false;                    ///< true if the flop rate is known
  std::optional<Energy> energy;             ///< set if it was asked for
  /// The best candidate of each algorithm, the fastest first.
  std::vector<PlanCandidate> candidates;
  std::vector<LinedProduct> lined;  ///< 2-D and 2.5D by kinds of lines, if the network is known
};

/// Declares the flags.
void declare_flags(CLI::App& command, ModelMmFlags& flags);

/// Throws Error(invalid_argument) naming the flag, its value and the values it can have.
MmModel model_mm(const ModelMmFlags& flags);

/// The flops of one multiplication and one addition of elements.
inline double flops_per_multiplication(ElementType type) {
  return holds_complex(type) ? 8 : 2;
}

/// The rates with which the model prices algorithms.
Rates rates_of_model(const MmModel& model);

/// The result as JSON and as a table.
nlohmann::ordered_json to_json(const MmModel& model);
std::string to_text(const MmModel& model);

/// Computes, prints and plots the predictions.
ExitCode run_model_mm(const ModelMmFlags& flags);

}  // namespace cuboid::detail::tools
