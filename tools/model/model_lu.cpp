#include "tools/model/model_lu.hpp"

#include "models/factorisation/lu_costs.hpp"
#include "models/multiplication/lower_bounds.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/output/number.hpp"
#include "tools/output/refuse.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double bytes_per_element = 8;

const char* name_of(LineCollective collective) {
  return collective == LineCollective::rectangular ? "rectangular" : "binomial";
}

/// More would leave layers without a square of ranks each step: c ≤ P^(1/3) (Solomonik et al. 2011,
/// §3).
std::vector<int> layers_to_try(const ModelLuFlags& flags) {
  const auto sensible = [&](double layers) { return layers * layers * layers <= *flags.ranks; };
  if (flags.layers) {
    if (*flags.layers < 1 || !sensible(*flags.layers)) {
      refuse(fmt::format("--layers {}: give 1 to {} of {} ranks", *flags.layers,
                         static_cast<int>(std::cbrt(*flags.ranks) + 1e-9), *flags.ranks));
    }
    return {*flags.layers};
  }
  std::vector<int> layers;
  for (int c = 1; sensible(c); c *= 2) layers.push_back(c);
  return layers;
}

/// On the squarest grid of a layer.
CommunicationCost scheduled_cost(const LayeredProblem& problem) {
  const int ranks = static_cast<int>(problem.ranks / problem.layers);
  int rows = static_cast<int>(std::sqrt(ranks));
  while (ranks % rows != 0) --rows;
  const double block = problem.n / std::sqrt(problem.ranks * problem.layers);
  const LuSchedule schedule(static_cast<std::int64_t>(problem.n),
                            static_cast<std::int64_t>(problem.n),
                            std::max<std::int64_t>(static_cast<std::int64_t>(block), 1), rows,
                            ranks / rows, static_cast<int>(problem.layers));
  return lu_communication(schedule, LuPivotCost::none, static_cast<std::size_t>(bytes_per_element))
      .total();
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
    object["results"].push_back({{"layers", row.problem.layers},
                                 {"lines", name_of(row.collective)},
                                 {"seconds", model.compute_seconds + steps.total()},
                                 {"diagonal_seconds", steps.diagonal},
                                 {"to_layers_seconds", steps.to_layers},
                                 {"panels_seconds", steps.panels},
                                 {"schur_seconds", steps.schur},
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
  text += fmt::format(
      "{:>7} {:<12} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
      "layers", "lines", "seconds", "compute", "diagonal", "to layers", "panels", "schur",
      "efficiency", "memory", "words", "bound");
  const bool computes = model.compute_seconds > 0;
  for (const ModelledLu& row : model.rows) {
    const LayeredLuSeconds& steps = row.communicate;
    text += fmt::format(
        "{:>7} {:<12} {:>11.4g} {:>11} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g} {:>11} {:>11} "
        "{:>11.4g} {:>11.4g}{}\n",
        row.problem.layers, name_of(row.collective), model.compute_seconds + steps.total(),
        computes ? fmt::format("{:.4g}", model.compute_seconds) : "-", steps.diagonal,
        steps.to_layers, steps.panels, steps.schur,
        computes ? fmt::format("{:.1f}%",
                               100 * parallel_efficiency(model.compute_seconds, steps.total()))
                 : "-",
        bytes_to_string(row.memory_bytes), row.scheduled.words, row.bound.words,
        row.fits ? "" : "  does not fit");
  }
  if (!computes) {
    text += fmt::format(
        "\nThe flop rate of {} is unknown, so the times are of communication alone: give "
        "--flops.\n",
        model.machine.name);
  }
  return text;
}

void declare_flags(CLI::App& command, ModelLuFlags& flags) {
  command.add_option("--n", flags.n, "Rows and columns of the matrix");
  command.add_option("--ranks", flags.ranks, "Number of ranks, one per node");
  command.add_option(
      "--layers", flags.layers,
      "Number of copies of the matrix (default: all powers of two up to the cube root of --ranks)");
  command
      .add_option("--parameters", flags.parameters,
                  fmt::format("Machine ({}) or file of measured parameters", machine_names()))
      ->capture_default_str();
  command.add_option("--flops", flags.flops, "Flop/s of one rank, instead of the machine's");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

LuModel model_lu(const ModelLuFlags& flags) {
  if (!flags.n) refuse("--n is missing: give --n and --ranks");
  const double n = *flags.n;
  if (!(n >= 1 && n <= 1e12)) refuse(fmt::format("--n {}: give 1 to 1e12", n));
  if (!flags.ranks) refuse("--ranks is missing: give --n and --ranks");
  constexpr int most_ranks = 1 << 20;
  if (*flags.ranks < 1 || *flags.ranks > most_ranks)
    refuse(fmt::format("--ranks {}: give 1 to {}", *flags.ranks, most_ranks));
  LuModel model;
  model.machine = machine_from_flag(flags.parameters);
  if (flags.flops) {
    if (!(*flags.flops > 0)) refuse(fmt::format("--flops {}: give more than 0", *flags.flops));
    model.machine.flops_per_second = *flags.flops;
  }
  if (model.machine.flops_per_second > 0)
    model.compute_seconds = 2.0 / 3 * n * n * n / (model.machine.flops_per_second * *flags.ranks);
  for (const int layers : layers_to_try(flags)) {
    const CommunicationCost scheduled =
        scheduled_cost({n, static_cast<double>(*flags.ranks), static_cast<double>(layers)});
    for (const LineCollective collective :
         {LineCollective::rectangular, LineCollective::binomial}) {
      ModelledLu row{.problem = {n, static_cast<double>(*flags.ranks), static_cast<double>(layers)},
                     .collective = collective,
                     .communicate = {},
                     .memory_bytes = 0,
                     .scheduled = {},
                     .bound = {}};
      row.communicate = layered_lu_seconds(model.machine.between_nodes, collective, row.problem,
                                           bytes_per_element);
      row.scheduled = scheduled;
      row.bound = layered_bound(n, *flags.ranks, layers);
      row.bound.messages = std::sqrt(static_cast<double>(*flags.ranks) * layers);
      row.memory_bytes = bytes_per_element * n * n * layers / *flags.ranks;
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
