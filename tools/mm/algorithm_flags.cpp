#include "tools/mm/algorithm_flags.hpp"

#include <cuboid/multiply.hpp>

#include "mm/multiply/multiplication_table.hpp"
#include "tools/output/flag_values.hpp"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

/// Reads PxQ, a process grid, or PxQxR, a grid of bricks.
void parse_grid(const std::string& text, MultiplyOptions& how) {
  const std::vector<int> extents = parse_extents(text).value_or(std::vector<int>{});
  if (extents.size() == 2) {
    how.grid = GridShape(extents[0], extents[1]);
  } else if (extents.size() == 3) {
    how.bricks = std::array{extents[0], extents[1], extents[2]};
  } else {
    refuse(
        fmt::format("--grid {}: give rows x columns of the process grid, e.g. 2x3, or rows x "
                    "columns x layers of COSMA's grid, e.g. 2x3x2",
                    text));
  }
}

/// Reads HSUMMA's groups as IxJ, their number, or "sample".
GroupChoice parse_groups(const std::string& text) {
  if (text == "sample") return {.sample = true};
  const std::vector<int> extents = parse_extents(text).value_or(std::vector<int>{});
  if (extents.size() == 1) return {.count = extents[0]};
  if (extents.size() == 2) return {.shape = GroupShape{extents[0], extents[1]}};
  refuse(
      fmt::format("--groups {}: give rows x columns of groups, e.g. 2x2, the number of groups, or "
                  "sample to measure which is fastest",
                  text));
}

LayerAlgorithm parse_inside(const std::string& text) {
  if (text == "summa") return LayerAlgorithm::summa;
  if (text == "cannon") return LayerAlgorithm::cannon;
  if (text == "sd-cannon") return LayerAlgorithm::sd_cannon;
  if (text == "slabs") return LayerAlgorithm::slabs;
  refuse(fmt::format("--inside {}: give summa, cannon, sd-cannon or slabs", text));
}

/// A flag that only some algorithms accept.
struct AlgorithmFlag {
  AlgorithmOption option;
  std::string given;  ///< flag and value as the user gave them; empty if not given
};

std::vector<AlgorithmFlag> given_flags(const AlgorithmFlags& flags, const MultiplyOptions& how) {
  const auto given = [](const char* flag, const auto& value) {
    return value ? fmt::format("{} {}", flag, *value) : std::string();
  };
  const auto text = [](const char* flag, const std::string& value) {
    return value.empty() ? value : fmt::format("{} {}", flag, value);
  };
  return {
      {AlgorithmOption::bricks, text("--grid", how.bricks ? flags.grid : "")},
      {AlgorithmOption::grid, text("--grid", how.grid ? flags.grid : "")},
      {AlgorithmOption::idle_fraction, given("--idle-fraction", flags.idle_fraction)},
      {AlgorithmOption::groups, text("--groups", flags.groups)},
      {AlgorithmOption::outer_width, given("--outer-panel", flags.outer_panel)},
      {AlgorithmOption::panel_width, given("--panel", flags.panel)},
      {AlgorithmOption::layers, given("--layers", flags.layers)},
      {AlgorithmOption::inside, text("--inside", flags.inside)},
      {AlgorithmOption::replicated_operands,
       flags.replicated_operands ? "--replicated-operands" : ""},
      {AlgorithmOption::rounds, given("--rounds", flags.rounds)},
      {AlgorithmOption::one_sided, flags.one_sided ? "--one-sided" : ""},
      {AlgorithmOption::copied_blocks, flags.copied_blocks ? "--copied-blocks" : ""},
      {AlgorithmOption::blocking_gets, flags.blocking_gets ? "--blocking-gets" : ""},
      {AlgorithmOption::blocks_by_arrival, flags.blocks_by_arrival ? "--blocks-by-arrival" : ""},
      {AlgorithmOption::one_direction, flags.one_direction ? "--one-direction" : ""},
      {AlgorithmOption::binary_tree, flags.binary_tree ? "--binary-tree" : ""},
  };
}

}  // namespace

void declare_algorithm_flags(CLI::App& command, AlgorithmFlags& flags) {
  command
      .add_option(
          "--grid", flags.grid,
          "Process grid PxQ (2.5D: of each layer), or PxQxR for COSMA (default: the model's "
          "choice)")
      ->group("Run");
  command
      .add_option("--rounds", flags.rounds,
                  "COSMA and CARMA: number of rounds in which the operands arrive (default: chosen "
                  "by overlap and memory)")
      ->group("Run");
  command
      .add_option(
          "--idle-fraction", flags.idle_fraction,
          "COSMA: largest share of the ranks that may idle, 0 to 1 (default: up to a tenth, "
          "by the model)")
      ->group("Run");
  command
      .add_flag("--copied-blocks", flags.copied_blocks,
                "SRUMMA: copy blocks within a node, too, before they are multiplied")
      ->group("Run");
  command
      .add_flag("--blocking-gets", flags.blocking_gets,
                "SRUMMA: wait for each block that is copied before anything else")
      ->group("Run");
  command
      .add_flag("--blocks-by-arrival", flags.blocks_by_arrival,
                "SRUMMA: multiply blocks as they arrive (sums differ in their last bits)")
      ->group("Run");
  command
      .add_flag("--one-direction", flags.one_direction,
                "SD-Cannon: shift blocks in one direction of each dimension only")
      ->group("Run");
  command
      .add_flag("--binary-tree", flags.binary_tree,
                "COSMA: gather faces and sum C in steps between two ranks")
      ->group("Run");
  command
      .add_flag("--one-sided", flags.one_sided,
                "Use one-sided communication: COSMA and CARMA get blocks, SD-Cannon puts them")
      ->group("Run");
  command
      .add_option("--groups", flags.groups,
                  "HSUMMA: groups IxJ, or the number of groups; sample measures which is fastest "
                  "(default: the model's choice)")
      ->group("Run");
  command
      .add_option("--outer-panel", flags.outer_panel,
                  "HSUMMA: maximum width of panels between groups (default: four times --panel)")
      ->group("Run");
  command
      .add_option("--layers", flags.layers,
                  "2.5D: number of layers (default: the model's choice within the memory)")
      ->group("Run");
  command
      .add_option("--inside", flags.inside,
                  "2.5D: algorithm inside each layer: summa, cannon, sd-cannon or slabs (default: "
                  "the model's "
                  "choice)")
      ->group("Run");
  command
      .add_flag("--replicated-operands", flags.replicated_operands,
                "2.5D: multicast A and B from the first layer to all, and sum C there")
      ->group("Run");
  command
      .add_option(
          "--panel", flags.panel,
          "SUMMA, HSUMMA and 2.5D: maximum panel width (default: 256 within a node, 128 over a "
          "network)")
      ->group("Run");
}

MultiplyOptions options_of(const AlgorithmFlags& flags, MultiplicationAlgorithm algorithm) {
  if (flags.panel) require_at_least("--panel", *flags.panel, 1);
  if (flags.outer_panel) {
    require_at_least("--outer-panel", *flags.outer_panel, flags.panel.value_or(1));
  }
  if (flags.layers) require_at_least("--layers", *flags.layers, 1);
  if (flags.rounds) require_at_least("--rounds", *flags.rounds, 1);
  MultiplyOptions how{.algorithm = algorithm};
  if (!flags.grid.empty()) parse_grid(flags.grid, how);
  if (flags.idle_fraction && !(*flags.idle_fraction >= 0 && *flags.idle_fraction < 1))
    refuse(fmt::format("--idle-fraction {}: give 0 or more, less than 1", *flags.idle_fraction));
  how.idle_fraction = flags.idle_fraction;
  how.panel_width = flags.panel;
  how.outer_width = flags.outer_panel;
  if (!flags.groups.empty()) how.groups = parse_groups(flags.groups);
  how.layers = flags.layers;
  if (!flags.inside.empty()) how.inside = parse_inside(flags.inside);
  how.replicated_operands = flags.replicated_operands;
  how.rounds = flags.rounds;
  if (flags.one_sided) how.sides = Sidedness::one_sided;
  how.copied_blocks = flags.copied_blocks;
  how.blocking_gets = flags.blocking_gets;
  how.blocks_by_arrival = flags.blocks_by_arrival;
  how.one_direction = flags.one_direction;
  how.binary_tree = flags.binary_tree;
  return how;
}

void refuse_without_effect(const AlgorithmFlags& flags, const MultiplyOptions& how) {
  const MultiplicationAlgorithm algorithm = how.algorithm;
  if (algorithm == MultiplicationAlgorithm::automatic) return;
  for (const auto& [option, given] : given_flags(flags, how)) {
    if (given.empty() || entry_of(algorithm).accepts_option(option)) continue;
    std::vector<std::string_view> names;
    for (const MultiplicationEntry& entry : multiplication_table()) {
      if (entry.accepts_option(option)) names.push_back(entry.name);
    }
    const bool layered =
        option == AlgorithmOption::bricks && algorithm == MultiplicationAlgorithm::two_and_a_half_d;
    refuse(fmt::format("{}: has no effect on {}, only on {}: {}", given, to_string(algorithm),
                       fmt::join(names, ", "),
                       layered ? fmt::format("give --grid {}x{} --layers {}", (*how.bricks)[0],
                                             (*how.bricks)[1], (*how.bricks)[2])
                               : "leave it out"));
  }
}

}  // namespace cuboid::detail::tools
