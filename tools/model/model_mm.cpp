#include "tools/model/model_mm.hpp"

#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include "collectives/selection/modelled_call.hpp"
#include "mm/multiply/plan_request.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/model/model_ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"
#include "tools/output/plot.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::int64_t extent(const char* flag, const std::optional<std::int64_t>& value) {
  if (!value) refuse(fmt::format("{} is missing: give all of --m, --n, --k and --ranks", flag));
  return checked_extent(flag, *value);
}

std::vector<MultiplicationAlgorithm> algorithms_from_flag(const std::string& text) {
  const auto every = multiplication_algorithms();
  if (text == "all" || text == "auto") return {every.begin(), every.end()};
  try {
    return {parse_multiplication_algorithm(text)};
  } catch (const Error& error) {
    refuse(fmt::format("--{}; or all to compare them", error.what()));
  }
}

ElementType type_from_flag(const std::string& text) {
  try {
    return parse_element_type(text);
  } catch (const Error& error) {
    refuse(fmt::format("--type {}: {}", text, error.what()));
  }
}

/// The best candidate of each algorithm.
std::vector<PlanCandidate> best_of_each(std::vector<PlanCandidate> candidates) {
  std::vector<PlanCandidate> best;
  for (PlanCandidate& one : candidates) {
    if (std::ranges::find(best, one.algorithm, &PlanCandidate::algorithm) == best.end())
      best.push_back(std::move(one));
  }
  return best;
}

}  // namespace

Rates rates_of_model(const MmModel& model) {
  constexpr double endless = 1e300;
  const double flops = model.machine.flops_per_second;
  return {.network = hockney(model.machine.between_nodes),
          .multiplications_per_second =
              flops > 0 ? flops / flops_per_multiplication(model.type) : endless,
          .overlap = model.machine.overlap,
          .broadcast = model.broadcast};
}

namespace {

/// A plot of strong scaling up to the given number of ranks.
Plot scaling(const MmModel& model, std::span<const MultiplicationAlgorithm> algorithms) {
  const auto& [m, n, k] = model.request.size;
  Plot plot{.title = fmt::format("{} x {} x {}, {}", m, n, k, model.machine.name),
            .x_axis = "ranks",
            .y_axis = "seconds",
            .logarithmic_y = true,
            .curves = {}};
  const Rates rates = rates_of_model(model);
  std::vector<int> counts;
  for (std::int64_t ranks = 1; ranks < model.request.ranks; ranks *= 2)
    counts.push_back(static_cast<int>(ranks));
  counts.push_back(model.request.ranks);
  for (const MultiplicationAlgorithm algorithm : algorithms) {
    Curve curve{std::string(to_string(algorithm)), {}};
    for (const int ranks : counts) {
      PlanRequest request = model.request;
      request.ranks = ranks;
      if (ranks != model.request.ranks) request.placement.reset();
      const auto candidates = plan_candidates(request, rates, std::span(&algorithm, 1));
      if (!candidates.empty() && candidates.front().fits)
        curve.points.emplace_back(ranks, candidates.front().seconds);
    }
    if (!curve.points.empty()) plot.curves.push_back(std::move(curve));
  }
  keep_best(plot, readable_curves, false);
  return plot;
}

}  // namespace

void declare_flags(CLI::App& command, ModelMmFlags& flags) {
  command.add_option("--m", flags.m, "Rows of C");
  command.add_option("--n", flags.n, "Columns of C");
  command.add_option("--k", flags.k, "Columns of A, rows of B");
  command.add_option("--ranks", flags.ranks, "Number of ranks");
  command.add_option("--algorithm", flags.algorithm, "Name of an algorithm, or all")
      ->capture_default_str();
  declare_parameters_flag(command, flags.parameters, flags.paper_machine);
  command.add_option("--type", flags.type, "Element type: s, d, c or z")->capture_default_str();
  command.add_option(
      "--network", flags.network,
      "Network shape, e.g. torus:8x8x8: grids are mapped onto it; --ranks may then be left out");
  command
      .add_option(
          "--lines", flags.lines,
          "With --network, multicasts along the lines of a grid: rectangular (over all links "
          "of the line), binomial, mpi (scatter and all-gather over one link), or all")
      ->capture_default_str();
  command.add_option("--joules-per-byte", flags.joules_per_byte,
                     "Energy of a byte over a link: adds a column of joules");
  command.add_option("--joules-per-flop", flags.joules_per_flop,
                     "Energy of a flop: adds a column of joules");
  command.add_option("--memory-limit", flags.memory,
                     "Memory per rank, e.g. 1.5G (default: that of a node, if known)");
  command.add_option("--flops", flags.flops, "Flop/s of one rank, instead of the machine's");
  command.add_option("--overlap", flags.overlap,
                     "Share of a transfer that overlaps with a local gemm, 0 to 1, instead of the "
                     "machine's");
  command.add_option("--broadcast", flags.broadcast,
                     "Broadcast of SUMMA's and HSUMMA's panels, one owner after the other: flat, "
                     "binomial or van-de-geijn (default: as `cuboid mm` does)");
  command.add_option("--ranks-per-node", flags.ranks_per_node,
                     "Ranks on each node, which share its links, cores and memory (default: 1)");
  command.add_option("--word-bytes", flags.word_bytes,
                     "Bytes of an element, instead of the type's: 1 for parameters that count "
                     "elements");
  command.add_option("--svg", flags.svg, "Plot time over ranks to this SVG file");
  declare_algorithm_flags(command, flags);
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

namespace {

/// Sets how the product is multiplied and how much communication overlaps.
void set_run(const ModelMmFlags& flags, MmModel& model) {
  const auto at_least_one = [](const char* flag, const std::optional<std::int64_t>& value) {
    if (value && *value < 1) refuse(fmt::format("{} {}: give at least 1", flag, *value));
    return value;
  };
  PlanRequest& request = model.request;
  if (const auto bytes = at_least_one("--word-bytes", flags.word_bytes))
    request.element_bytes = static_cast<std::size_t>(*bytes);
  if (flags.overlap) {
    if (!(*flags.overlap >= 0 && *flags.overlap <= 1))
      refuse(fmt::format("--overlap {}: give 0 to 1", *flags.overlap));
    model.machine.overlap = *flags.overlap;
  }
  if (flags.broadcast.empty()) return;
  using enum BroadcastKind;
  const auto kind = find_broadcast_kind(flags.broadcast);
  // Pipelined broadcasts would also need a number of segments.
  if (kind != flat && kind != binomial && kind != van_de_geijn)
    refuse(fmt::format("--broadcast {}: give flat, binomial or van-de-geijn", flags.broadcast));
  model.broadcast = BroadcastModel{*kind};
}

std::optional<Energy> energy_from_flags(const ModelMmFlags& flags) {
  if (!flags.joules_per_byte && !flags.joules_per_flop) return std::nullopt;
  const auto joules = [](const char* flag, const std::optional<double>& value) {
    if (value && !(*value >= 0)) refuse(fmt::format("{} {}: give at least 0", flag, *value));
    return value.value_or(0);
  };
  return Energy{joules("--joules-per-byte", flags.joules_per_byte),
                joules("--joules-per-flop", flags.joules_per_flop)};
}

}  // namespace

MmModel model_mm(const ModelMmFlags& flags) {
  constexpr std::array kinds = {LineMulticast::rectangular, LineMulticast::binomial,
                                LineMulticast::mpi};
  const std::vector<LineMulticast> lines = lines_from_flag(flags.lines, kinds);
  if (lines.size() == 1 && flags.network.empty()) {
    refuse(fmt::format("--lines {}: lines are those of a network: give --network as well",
                       flags.lines));
  }
  MmModel model;
  model.machine = machine_from_flag(flags.parameters);
  const ProductSize size{extent("--m", flags.m), extent("--n", flags.n), extent("--k", flags.k)};
  ModelledRanks ranks = ranks_from_flags(
      {flags.network, flags.ranks, flags.ranks_per_node, "--m, --n, --k"}, model.machine);
  model.energy = energy_from_flags(flags);
  model.type = type_from_flag(flags.type);
  const std::vector<MultiplicationAlgorithm> algorithms = algorithms_from_flag(flags.algorithm);
  const MultiplyOptions how = options_of(
      flags, algorithms.size() == 1 ? algorithms.front() : MultiplicationAlgorithm::automatic);
  refuse_without_effect(flags, how);
  PlanRequest& request = model.request;
  request = plan_request(size, bytes_of(model.type), ranks.ranks, how);
  request.placement = std::move(ranks.placement);
  set_run(flags, model);
  if (flags.flops) {
    if (!(*flags.flops > 0)) refuse(fmt::format("--flops {}: give more than 0", *flags.flops));
    model.machine.flops_per_second = *flags.flops;
  }
  if (!flags.memory.empty()) {
    request.memory = parse_bytes("--memory-limit", flags.memory) /
                     static_cast<std::int64_t>(request.element_bytes);
    if (*request.memory < 1)
      refuse(
          fmt::format("--memory-limit {}: this is less than one element: give more", flags.memory));
  } else if (model.machine.memory_bytes > 0) {
    request.memory = static_cast<std::int64_t>(model.machine.memory_bytes /
                                               static_cast<double>(request.element_bytes));
  }
  model.computes = model.machine.flops_per_second > 0;
  model.candidates = best_of_each(plan_candidates(request, rates_of_model(model), algorithms));
  if (model.candidates.empty()) {
    refuse(fmt::format("--algorithm {}: cannot run on {} ranks: give all, or another --ranks",
                       flags.algorithm, request.ranks));
  }
  if (request.placement) model.lined = by_lines(request, rates_of_model(model), lines);
  return model;
}

ExitCode run_model_mm(const ModelMmFlags& flags) {
  const MmModel model = model_mm(flags);
  if (!flags.svg.empty())
    write_svg(flags.svg, scaling(model, algorithms_from_flag(flags.algorithm)));
  print_result(model, flags.json);
  return ExitCode::done;
}

}  // namespace cuboid::detail::tools
