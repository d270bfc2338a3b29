#include "tools/model/model_mm.hpp"

#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include "collectives/selection/modelled_call.hpp"
#include "mm/multiply/plan_request.hpp"
#include "mm/multiply/plan_text.hpp"
#include "models/multiplication/lower_bounds.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/mm/mm_result.hpp"
#include "tools/model/model_ranks.hpp"
#include "tools/output/number.hpp"
#include "tools/output/plot.hpp"
#include "tools/output/refuse.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

std::int64_t extent(const char* flag, const std::optional<std::int64_t>& value) {
  if (!value) refuse(fmt::format("{} is missing: give all of --m, --n, --k and --ranks", flag));
  if (*value < 0) refuse(fmt::format("{} {}: give at least 0", flag, *value));
  return *value;
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

double flops_per_multiplication(const MmModel& model) {
  return holds_complex(model.type) ? 8 : 2;
}

Rates rates_of_model(const MmModel& model) {
  constexpr double endless = 1e300;
  const double flops = model.machine.flops_per_second;
  return {
      .network = hockney(model.machine.between_nodes),
      .multiplications_per_second = flops > 0 ? flops / flops_per_multiplication(model) : endless};
}

ProductExtents extents(const ProductSize& size) {
  return {static_cast<double>(size.m), static_cast<double>(size.n), static_cast<double>(size.k)};
}

/// Bounds on the words of a rank, where its memory is known.
struct Bounds {
  double received = 0;          ///< of any algorithm
  double held = 0;              ///< Kwasniewski et al. 2019, theorem 2
  std::optional<double> irony;  ///< Irony, Toledo, Tiskin; none without a limit
};

Bounds bounds_of(const MmModel& model) {
  const PlanRequest& request = model.request;
  const ProductExtents product = extents(request.size);
  const double ranks = request.ranks;
  // Without a memory limit: the bound of a cube's faces, which holds for any memory.
  const double memory = request.memory ? static_cast<double>(*request.memory) : 1e300;
  Bounds bounds{.received = least_received(product, ranks, memory),
                .held = parallel_bound(product, ranks, memory),
                .irony = {}};
  if (request.memory) bounds.irony = irony_toledo_tiskin_bound(product, ranks, memory);
  return bounds;
}

/// The energy of all ranks, as if each multiplied and received as much as the busiest.
double joules(const MmModel& model, double work, double words) {
  return model.energy->joules(model.request.ranks, work * flops_per_multiplication(model),
                              words * static_cast<double>(model.request.element_bytes));
}

std::string joules_text(const MmModel& model, double work, double words) {
  return model.energy ? fmt::format(" {:>11.4g}", joules(model, work, words)) : "";
}

double work_of_all(const MmModel& model) {
  return extents(model.request.size).work() / model.request.ranks;
}

Json lined_json(const MmModel& model) {
  Json rows = Json::array();
  for (const LinedProduct& one : model.lined) {
    rows.push_back({{"lines", name_of(one.lines)},
                    {"layers", one.grid.layers()},
                    {"grid", {one.grid.rows(), one.grid.columns(), one.grid.layers()}},
                    {"seconds", one.seconds.total},
                    {"compute_seconds", one.seconds.compute},
                    {"communicate_seconds", one.seconds.communicate},
                    {"words_max", one.words},
                    {"fits", one.fits}});
  }
  return rows;
}

std::string lined_text(const MmModel& model) {
  if (model.lined.empty()) return "";
  std::string text = fmt::format(
      "\nSUMMA in layers whose lines are lines of the network (1 layer: 2-D), by what moves along "
      "them\n{:>7} {:<12} {:<16} {:>11} {:>11} {:>11} {:>12} {:>11}{}\n",
      "layers", "lines", "grid", "seconds", "compute", "communicate", "words", "efficiency",
      model.energy ? fmt::format(" {:>11}", "joules") : "");
  for (const LinedProduct& one : model.lined) {
    text += fmt::format(
        "{:>7} {:<12} {:<16} {:>11.4g} {:>11.4g} {:>11.4g} {:>12.6g} {:>11}{}{}\n",
        one.grid.layers(), name_of(one.lines),
        fmt::format("{}x{}x{}", one.grid.rows(), one.grid.columns(), one.grid.layers()),
        one.seconds.total, one.seconds.compute, one.seconds.communicate, one.words,
        model.computes ? fmt::format("{:.1f}%", 100 * one.seconds.compute / one.seconds.total)
                       : "-",
        joules_text(model, work_of_all(model), one.words), one.fits ? "" : "  does not fit");
  }
  return text;
}

}  // namespace

Json to_json(const MmModel& model) {
  const PlanRequest& request = model.request;
  const Bounds bounds = bounds_of(model);
  Json object = {
      {"m", request.size.m},
      {"n", request.size.n},
      {"k", request.size.k},
      {"ranks", request.ranks},
      {"element_bytes", request.element_bytes},
      {"parameters", model.machine.name},
      {"flops_per_second", model.computes ? Json(model.machine.flops_per_second) : Json(nullptr)},
      {"memory_bytes",
       request.memory ? Json(*request.memory * static_cast<std::int64_t>(request.element_bytes))
                      : Json(nullptr)},
      {"lower_bound_words", bounds.received},
      {"theorem_2_words", bounds.held},
      {"irony_toledo_tiskin_words", bounds.irony ? Json(*bounds.irony) : Json(nullptr)},
      {"candidates", Json::array()}};
  for (const PlanCandidate& candidate : model.candidates) {
    object["candidates"].push_back(to_json(candidate, request.element_bytes));
    if (model.energy)
      object["candidates"].back()["joules"] = joules(model, candidate.work, candidate.words);
  }
  if (request.placement) {
    object["network"] = request.placement->shape().to_string();
    object["lines"] = lined_json(model);
  }
  return object;
}

std::string to_text(const MmModel& model) {
  const PlanRequest& request = model.request;
  const auto& [m, n, k] = request.size;
  std::string text =
      fmt::format("# {} x {} x {} (m x n x k), {} bytes a word, {} ranks{}, {} ({})\n", m, n, k,
                  request.element_bytes, request.ranks,
                  request.placement ? " on " + request.placement->shape().to_string() : "",
                  model.machine.name, model.machine.source);
  text += fmt::format("{:<12} {:<38} {:>11} {:>11} {:>11} {:>12} {:>9} {:>12} {:>9}{}\n",
                      "algorithm", "grid", "seconds", "compute", "communicate", "words", "messages",
                      "memory", "of bound", model.energy ? fmt::format(" {:>11}", "joules") : "");
  const Bounds bounds = bounds_of(model);
  for (const PlanCandidate& candidate : model.candidates) {
    text += fmt::format(
        "{:<12} {:<38} {:>11.4g} {:>11.4g} {:>11.4g} {:>12.6g} {:>9.0f} {:>12} {:>9}{}{}\n",
        to_string(candidate.algorithm), describe_grid(candidate), candidate.seconds,
        candidate.compute_seconds, candidate.communicate_seconds, candidate.words,
        candidate.messages,
        bytes_to_string(candidate.memory * static_cast<double>(request.element_bytes)),
        bounds.received > 0 ? fmt::format("{:.2f}", candidate.words / bounds.received) : "-",
        joules_text(model, candidate.work, candidate.words),
        candidate.fits ? "" : "  does not fit");
  }
  text += lined_text(model);
  text += fmt::format(
      "\nlower bounds, words of the busiest rank\n"
      "  received, any algorithm                               {:.6g}\n"
      "  held (Kwasniewski et al. 2019, theorem 2)             {:.6g}\n",
      bounds.received, bounds.held);
  if (bounds.irony) {
    text += fmt::format("  sent and received (Irony, Toledo and Tiskin 2004)     {:.6g}\n",
                        *bounds.irony);
  }
  if (!model.computes) {
    text += fmt::format(
        "\nThe flop rate of {} is unknown, so the times are of communication alone: give "
        "--flops.\n",
        model.machine.name);
  }
  return text;
}

namespace {

/// Strong scaling up to the ranks asked for.
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
  return plot;
}

}  // namespace

void declare_flags(CLI::App& command, ModelMmFlags& flags) {
  command.add_option("--m", flags.m, "Rows of C");
  command.add_option("--n", flags.n, "Columns of C");
  command.add_option("--k", flags.k, "Columns of A, rows of B");
  command.add_option("--ranks", flags.ranks, "Number of ranks, one per node");
  command.add_option("--algorithm", flags.algorithm, "Name of an algorithm, or all")
      ->capture_default_str();
  command
      .add_option("--parameters", flags.parameters,
                  fmt::format("Machine ({}) or file of measured parameters", machine_names()))
      ->capture_default_str();
  command.add_option("--type", flags.type, "Element type: s, d, c or z")->capture_default_str();
  command.add_option(
      "--network", flags.network,
      "Network shape, one rank per node, e.g. torus:8x8x8: grids are mapped onto it; "
      "--ranks may then be left out");
  command
      .add_option(
          "--lines", flags.lines,
          "With --network: what moves along the lines of a grid: rectangular (over all links "
          "of the line), binomial, mpi (scatter and all-gather over one link), or all")
      ->capture_default_str();
  command.add_option("--joules-per-byte", flags.joules_per_byte,
                     "Energy of a byte over a link: adds a column of joules");
  command.add_option("--joules-per-flop", flags.joules_per_flop, "Energy of a flop, likewise");
  command.add_option("--memory", flags.memory,
                     "Memory per rank, e.g. 1.5G (default: that of a node, if known)");
  command.add_option("--flops", flags.flops, "Flop/s of one rank, instead of the machine's");
  command.add_option("--svg", flags.svg, "Plot time over ranks to this SVG file");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

namespace {

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
  MmModel model;
  model.machine = machine_from_flag(flags.parameters);
  PlanRequest& request = model.request;
  request.size = {extent("--m", flags.m), extent("--n", flags.n), extent("--k", flags.k)};
  ModelledRanks ranks =
      ranks_from_flags(flags.network, flags.ranks, "--m, --n, --k", model.machine);
  request.ranks = ranks.ranks;
  request.placement = std::move(ranks.placement);
  model.energy = energy_from_flags(flags);
  model.type = type_from_flag(flags.type);
  request.element_bytes = bytes_of(model.type);
  if (flags.flops) {
    if (!(*flags.flops > 0)) refuse(fmt::format("--flops {}: give more than 0", *flags.flops));
    model.machine.flops_per_second = *flags.flops;
  }
  if (!flags.memory.empty()) {
    request.memory =
        parse_bytes("--memory", flags.memory) / static_cast<std::int64_t>(request.element_bytes);
    if (*request.memory < 1)
      refuse(fmt::format("--memory {}: does not hold one element: give more", flags.memory));
  } else if (model.machine.memory_bytes > 0) {
    request.memory = static_cast<std::int64_t>(model.machine.memory_bytes /
                                               static_cast<double>(request.element_bytes));
  }
  model.computes = model.machine.flops_per_second > 0;
  model.candidates = best_of_each(
      plan_candidates(request, rates_of_model(model), algorithms_from_flag(flags.algorithm)));
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
