#include "tools/model/model_lu.hpp"

#include "base/page_text.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "mm/plan/mapped_grid.hpp"
#include "models/factorisation/factorisation_costs.hpp"
#include "models/multiplication/lower_bounds.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/model/model_ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double bytes_per_element = 8;

/// The name of the kind of lines in the papers' formulas.
LineCollective collective_of(LineMulticast lines) {
  switch (lines) {
    case LineMulticast::rectangular: return LineCollective::rectangular;
    case LineMulticast::binomial: return LineCollective::binomial;
    default: return LineCollective::scatter_allgather;
  }
}

/// The numbers of layers to try. With more layers than c = P^(1/3), not every layer would have a
/// square of ranks in each step (Solomonik et al. 2011, §3).
std::vector<int> layers_to_try(const ModelLuFlags& flags, int ranks) {
  const auto sensible = [&](double layers) { return layers * layers * layers <= ranks; };
  if (flags.layers) {
    if (*flags.layers < 1 || !sensible(*flags.layers)) {
      refuse(fmt::format("--layers {}: give 1 to {} of {} ranks", *flags.layers,
                         static_cast<int>(std::cbrt(ranks) + 1e-9), ranks));
    }
    return {*flags.layers};
  }
  std::vector<int> layers;
  for (int c = 1; sensible(c); c *= 2) layers.push_back(c);
  return layers;
}

/// The schedule on the squarest grid of a layer.
PanelSchedule schedule_of(const LayeredProblem& problem) {
  const int ranks = static_cast<int>(problem.ranks / problem.layers);
  int rows = static_cast<int>(std::sqrt(ranks));
  while (ranks % rows != 0) --rows;
  const double block = problem.n / std::sqrt(problem.ranks * problem.layers);
  return {static_cast<std::int64_t>(problem.n),
          static_cast<std::int64_t>(problem.n),
          std::max<std::int64_t>(static_cast<std::int64_t>(block), 1),
          rows,
          ranks / rows,
          static_cast<int>(problem.layers)};
}

/// The schedule's time on a torus, if the lines of its grid can be mapped onto lines of the torus.
std::optional<double> seconds_on_network(const LuModel& model, const PanelSchedule& schedule,
                                         LineMulticast lines) {
  std::optional<Mapper> machine = mapper_of(model.placement);
  if (!machine) return std::nullopt;
  const int rows = schedule.rows(), columns = schedule.columns();
  const LaidLayers grid(rows, columns, schedule.layers(), &*machine);
  if (!grid.rows || !grid.columns) return std::nullopt;
  constexpr double endless = 1e300;
  const double flops = model.machine.flops_per_second;
  return lu_cost(
             schedule, LuPivotCost::none,
             {.network = hockney(model.machine.between_nodes),
              .links = {links_in_effect(lines, grid.rows->spread, columns),
                        links_in_effect(lines, grid.columns->spread, rows),
                        grid.layers ? links_in_effect(lines, grid.layers->spread, schedule.layers())
                                    : 1},
              .multiplications_per_second = flops > 0 ? flops / 2 : endless})
      .seconds.total();
}

}  // namespace

Json to_json(const LuModel& model) {
  const LayeredProblem& problem = model.rows.front().problem;
  Json object = {
      {"n", problem.n},
      {"ranks", problem.ranks},
      {"parameters", model.machine.name},
      {"compute_seconds", model.compute_seconds > 0 ? Json(model.compute_seconds) : Json(nullptr)},
      {"results", Json::array()}};
  for (const ModelledLu& row : model.rows) {
    const LayeredLuSeconds& steps = row.communicate;
    object["results"].push_back(
        {{"layers", row.problem.layers},
         {"lines", name_of(row.lines)},
         {"seconds", model.compute_seconds + steps.total()},
         {"diagonal_seconds", steps.diagonal},
         {"to_layers_seconds", steps.to_layers},
         {"panels_seconds", steps.panels},
         {"schur_seconds", steps.schur},
         {"scheduled_seconds",
          row.scheduled_seconds ? Json(*row.scheduled_seconds) : Json(nullptr)},
         {"words", row.scheduled.words},
         {"messages", row.scheduled.messages},
         {"bound_words", row.bound.words},
         {"bound_messages", row.bound.messages},
         {"memory_bytes", row.memory_bytes},
         {"fits", row.fits}});
  }
  return object;
}

std::string to_text(const LuModel& model) {
  const LayeredProblem& problem = model.rows.front().problem;
  std::string text = fmt::format(
      "# LU without pivoting, n = {:.0f}, {} bytes a word, {:.0f} ranks, {} ({})\n", problem.n,
      bytes_per_element, problem.ranks, model.machine.name, model.machine.source);
  const bool computes = model.compute_seconds > 0;
  const std::vector<std::string> heads{
      "lines", "layers",     "seconds", "compute", "diagonal", "to layers",  "panels",
      "schur", "efficiency", "memory",  "words",   "bound",    "on network", "fits"};
  constexpr std::size_t labels = 2;
  std::vector<PageRow> rows;
  for (const ModelledLu& row : model.rows) {
    const LayeredLuSeconds& steps = row.communicate;
    rows.push_back(
        {.section = "",
         .cells = {
             std::string(name_of(row.lines)), fmt::format("{}", row.problem.layers),
             fmt::format("{:.4g}", model.compute_seconds + steps.total()),
             computes ? fmt::format("{:.4g}", model.compute_seconds) : "-",
             fmt::format("{:.4g}", steps.diagonal), fmt::format("{:.4g}", steps.to_layers),
             fmt::format("{:.4g}", steps.panels), fmt::format("{:.4g}", steps.schur),
             computes ? fmt::format("{:.1f}%",
                                    100 * parallel_efficiency(model.compute_seconds, steps.total()))
                      : "-",
             bytes_to_string(row.memory_bytes), fmt::format("{:.4g}", row.scheduled.words),
             fmt::format("{:.4g}", row.bound.words),
             row.scheduled_seconds ? fmt::format("{:.4g}", *row.scheduled_seconds) : "-",
             row.fits ? "yes" : "no"}});
  }
  text += page_table(heads, labels, rows);
  if (!computes) {
    text += fmt::format(
        "\nThe flop rate of {} is unknown, so the times are of communication alone: give "
        "--flops.\n",
        model.machine.name);
  }
  constexpr std::size_t indent = 2;
  return folded(text, indent);
}

void declare_flags(CLI::App& command, ModelLuFlags& flags) {
  command.add_option("--n", flags.n, "Rows and columns of the matrix");
  command.add_option("--ranks", flags.ranks, "Number of ranks, one per node");
  command.add_option("--network", flags.network,
                     "Network shape, one rank per node, e.g. torus:8x8x8: adds the time of `cuboid "
                     "lu`'s schedule there; --ranks may then be left out");
  command
      .add_option("--lines", flags.lines,
                  "Multicasts along lines of the grid: rectangular (over all links of the line), "
                  "binomial, mpi (scatter and all-gather over one link), or all")
      ->capture_default_str();
  command.add_option(
      "--layers", flags.layers,
      "Number of copies of the matrix (default: all powers of two up to the cube root of --ranks)");
  declare_parameters_flag(command, flags.parameters, flags.paper_machine);
  command.add_option("--flops", flags.flops, "Flop/s of one rank, instead of the machine's");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

LuModel model_lu(const ModelLuFlags& flags) {
  if (!flags.n) refuse("--n is missing: give --n and --ranks");
  const double n = *flags.n;
  if (!(n >= 1 && n <= 1e12)) refuse(fmt::format("--n {}: give 1 to 1e12", n));
  constexpr std::array kinds = {LineMulticast::rectangular, LineMulticast::binomial,
                                LineMulticast::mpi};
  const std::vector<LineMulticast> lines = lines_from_flag(flags.lines, kinds);
  LuModel model;
  model.machine = machine_from_flag(flags.parameters);
  ModelledRanks given = ranks_from_flags(
      {.network = flags.network, .ranks = flags.ranks, .others = "--n"}, model.machine);
  const int ranks = given.ranks;
  model.placement = std::move(given.placement);
  if (flags.flops) {
    if (!(*flags.flops > 0)) refuse(fmt::format("--flops {}: give more than 0", *flags.flops));
    model.machine.flops_per_second = *flags.flops;
  }
  if (model.machine.flops_per_second > 0)
    model.compute_seconds = 2.0 / 3 * n * n * n / (model.machine.flops_per_second * ranks);
  for (const int layers : layers_to_try(flags, ranks)) {
    const LayeredProblem problem{n, static_cast<double>(ranks), static_cast<double>(layers)};
    const PanelSchedule schedule = schedule_of(problem);
    const CommunicationCost scheduled =
        lu_cost(schedule, LuPivotCost::none, {}).communication.total();
    for (const LineMulticast kind : lines) {
      ModelledLu row{.problem = problem,
                     .lines = kind,
                     .communicate = {},
                     .memory_bytes = 0,
                     .scheduled = scheduled,
                     .scheduled_seconds = seconds_on_network(model, schedule, kind),
                     .bound = layered_bound(n, ranks, layers)};
      row.communicate = layered_lu_seconds(model.machine.between_nodes, collective_of(kind),
                                           row.problem, bytes_per_element);
      row.bound.messages = std::sqrt(static_cast<double>(ranks) * layers);
      row.memory_bytes = bytes_per_element * n * n * layers / ranks;
      row.fits = model.machine.memory_bytes == 0 || row.memory_bytes <= model.machine.memory_bytes;
      model.rows.push_back(row);
    }
  }
  return model;
}

ExitCode run_model_lu(const ModelLuFlags& flags) {
  const LuModel model = model_lu(flags);
  print_result(model, flags.json);
  return ExitCode::done;
}

}  // namespace cuboid::detail::tools
