#include "tools/model/model_collective.hpp"

#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "base/closest_name.hpp"
#include "base/page_text.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/selection/simulated_seconds.hpp"
#include "models/messages/torus_costs.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/command/interruption.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/or_null.hpp"
#include "tools/output/plot.hpp"
#include "tools/output/progress.hpp"
#include "tools/provenance/provenance.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array modelled_operations = {
    Operation::broadcast,      Operation::reduce, Operation::allreduce, Operation::allgather,
    Operation::reduce_scatter, Operation::gather, Operation::scatter,   Operation::alltoall};

Operation operation_named(const std::string& name) {
  const auto found = find_operation(name);
  if (found && std::ranges::count(modelled_operations, *found) > 0) return *found;
  std::vector<std::string> names;
  for (const Operation operation : modelled_operations) names.push_back(to_string(operation));
  refuse(fmt::format(
      "model: {}: give mm, lu, figure, or a collective: {}",
      name.empty() ? "no operation"
                   : fmt::format("unknown operation \"{}\"{}", name, did_you_mean(name, names)),
      fmt::join(names, ", ")));
}

std::optional<double> simulate(const Call& call, const Choice& choice) {
  return simulated_seconds(call, *choice.algorithm, choice.settings);
}

/// Adds a row for each candidate that the engine would compare.
void add_engine_rows(CollectiveModel& model, const Call& call, std::span<const Choice> weighed,
                     std::size_t bytes, const std::string& wanted, const BeforeRows& before) {
  std::vector<std::string_view> names;
  bool found = false;
  for (const Choice& choice : weighed) {
    names.push_back(choice.algorithm->name);
    const bool first = &choice == &weighed.front();
    if (wanted == "all" || (wanted == "auto" ? first : wanted == choice.algorithm->name)) {
      before(model, bytes, std::string(choice.algorithm->name));
      model.rows.push_back({bytes, describe(choice), "engine", choice.seconds,
                            model.simulated ? simulate(call, choice) : std::nullopt});
      found = true;
    }
  }
  if (!found && !weighed.empty()) {
    refuse(fmt::format("--algorithm {}: {} on {} has auto, all, or one of {}", wanted,
                       to_string(model.operation), model.shape.to_string(),
                       fmt::join(names, ", ")));
  }
}

/// Adds a row for each closed form of the papers. The simulation uses the trees that the papers
/// describe, segmented as in the engine.
void add_paper_rows(CollectiveModel& model, const Call& call, std::span<const Choice> weighed,
                    std::size_t bytes) {
  const LogGP& network = model.machine.between_nodes;
  const Partition where = partition(model.shape);
  const auto m = static_cast<double>(bytes);
  const auto simulated = [&](std::string_view name) -> std::optional<double> {
    if (!model.simulated) return std::nullopt;
    const auto found = std::ranges::find_if(
        weighed, [&](const Choice& choice) { return choice.algorithm->name == name; });
    if (found == weighed.end()) return std::nullopt;
    const auto done = std::ranges::find_if(model.rows, [&](const ModelledCollective& row) {
      return row.bytes == bytes && row.algorithm == describe(*found);
    });
    return done == model.rows.end() ? simulate(call, *found) : done->simulated_seconds;
  };
  if (model.operation == Operation::broadcast) {
    model.rows.push_back({bytes, "rectangular multicast", "Solomonik et al. 2011, eq 6",
                          rectangular_multicast_seconds(network, where, m),
                          simulated("rectangular")});
    model.rows.push_back({bytes, "binomial multicast", "Solomonik et al. 2011, eq 9",
                          binomial_multicast_seconds(network, where, m), simulated("binomial")});
  } else if (model.operation == Operation::reduce) {
    const NodeRates rates{model.machine.flops_per_second, model.machine.memory_bytes_per_second};
    model.rows.push_back({bytes, "rectangular reduction", "Solomonik et al. 2011, eq 8",
                          rectangular_reduction_seconds(network, where, rates, m),
                          simulated("rectangular")});
  }
}

}  // namespace

Json to_json(const CollectiveModel& model) {
  Json object = {{"operation", to_string(model.operation)},
                 {"network", model.shape.to_string()},
                 {"ranks", model.shape.nodes()},
                 {"parameters", model.machine.name},
                 {"results", Json::array()}};
  for (const ModelledCollective& row : model.rows) {
    object["results"].push_back(
        {{"bytes", row.bytes},
         {"algorithm", row.algorithm},
         {"source", row.source},
         {"seconds", row.seconds},
         {"simulated_seconds",
          row.simulated_seconds ? Json(*row.simulated_seconds) : Json(nullptr)},
         {"bandwidth_bytes_per_second", row.rate()},
         {"bound_bytes_per_second", or_null(row.bound)},
         {"fraction_of_bound", row.bound ? Json(row.rate() / *row.bound) : Json(nullptr)}});
  }
  return object;
}

std::string to_text(const CollectiveModel& model) {
  constexpr std::size_t indent = 2;
  const std::string head =
      folded(fmt::format("# {} on {}, {} ranks, {} ({})\n", to_string(model.operation),
                         model.shape.to_string(), model.shape.nodes(), model.machine.name,
                         model.machine.source),
             indent);
  std::vector<std::string> heads{"algorithm", "bytes", "us"};
  constexpr std::size_t labels = 2;
  if (model.simulated) heads.emplace_back("simulated us");
  for (const char* name : {"MB/s", "bound MB/s", "of bound", "formula", "settings"})
    heads.emplace_back(name);
  std::vector<PageRow> rows;
  for (const ModelledCollective& row : model.rows) {
    const std::size_t comma = row.algorithm.find(", ");  // before the settings
    std::vector<std::string> cells{row.algorithm.substr(0, comma), std::to_string(row.bytes),
                                   fmt::format("{:.2f}", row.seconds * 1e6)};
    if (model.simulated) {
      cells.push_back(row.simulated_seconds ? fmt::format("{:.2f}", *row.simulated_seconds * 1e6)
                                            : "-");
    }
    cells.push_back(fmt::format("{:.2f}", row.rate() * 1e-6));
    cells.push_back(row.bound ? fmt::format("{:.2f}", *row.bound * 1e-6) : "-");
    cells.push_back(row.bound ? fmt::format("{:.1f}%", 100 * row.rate() / *row.bound) : "-");
    cells.push_back(row.source);
    cells.push_back(comma == std::string::npos ? "-" : row.algorithm.substr(comma + 2));
    rows.push_back({.section = "", .cells = std::move(cells)});
  }
  return head + page_table(heads, labels, rows);
}

namespace {

/// A plot with a curve per formula, a curve per algorithm whose name is the same for all sizes, as
/// far as these can be told apart, and the bound.
Plot plot_of(const CollectiveModel& model) {
  Plot plot{.title = fmt::format("{} on {}, {}", to_string(model.operation),
                                 model.shape.to_string(), model.machine.name),
            .x_axis = "message, bytes",
            .y_axis = "MB/s",
            .logarithmic_y = true,
            .curves = {}};
  for (const ModelledCollective& row : model.rows) {
    const std::string name = row.source + ": " + row.algorithm.substr(0, row.algorithm.find(','));
    auto curve = std::ranges::find(plot.curves, name, &Curve::name);
    if (curve == plot.curves.end()) curve = plot.curves.insert(curve, {name, {}});
    curve->points.emplace_back(static_cast<double>(row.bytes), row.rate() * 1e-6);
  }
  keep_best(plot, readable_curves - 1, true);
  Curve bound{"bound", {}};
  for (const ModelledCollective& row : model.rows) {
    const auto bytes = static_cast<double>(row.bytes);
    const bool again = !bound.points.empty() && bound.points.back().first == bytes;
    if (row.bound && !again) bound.points.emplace_back(bytes, *row.bound * 1e-6);
  }
  plot.curves.push_back(std::move(bound));
  return plot;
}

}  // namespace

void declare_flags(CLI::App& command, ModelCollectiveFlags& flags) {
  command.add_option("OPERATION", flags.operation,
                     "broadcast, reduce, allreduce, allgather, reduce_scatter, gather, scatter or "
                     "alltoall");
  command.add_option(
      "--network", flags.network,
      "Network shape, one rank per node: torus:8x8x8, mesh:4x4, torus:4x4@100mbit (default: the "
      "shape of the machine named by --parameters)");
  declare_parameters_flag(command, flags.parameters, flags.paper_machine);
  command
      .add_option("--size", flags.sizes,
                  "Message size in bytes: one size, or MIN:MAX in powers of two")
      ->capture_default_str();
  command
      .add_option("--algorithm", flags.algorithm,
                  "auto: the fastest by the model; all: every algorithm of the operation; or one "
                  "name. The papers' equations are always listed")
      ->capture_default_str();
  command.add_flag(
      "--simulate", flags.simulate,
      "Also simulate each algorithm link by link; the column shows - if that would take minutes");
  command.add_option("--svg", flags.svg, "Plot the bandwidths to this SVG file");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

CollectiveModel model_collective(const ModelCollectiveFlags& flags, const BeforeRows& before) {
  CollectiveModel model;
  model.operation = operation_named(flags.operation);
  model.machine = machine_from_flag(flags.parameters);
  const ShapeSpec spec = network_from_flag(flags.network, model.machine);
  model.shape = spec.shape;
  note_modelled(spec.shape.nodes(), spec.shape.to_string());
  set_rate(model.machine, spec);

  model.simulated = flags.simulate;
  const GroupCostModel cost_model = one_rank_per_node(model.machine, spec);
  for (const std::size_t wanted : parse_sizes(flags.sizes)) {
    const Collective collective = call_of(model.operation, wanted, cost_model.ranks());
    const std::size_t bytes = message_bytes(collective, cost_model.ranks());
    // Several short sizes may be rounded up to the same message of one byte per rank.
    if (!model.rows.empty() && model.rows.back().bytes == bytes) continue;
    before(model, bytes, "comparing algorithms");
    const Call call{collective, cost_model};
    const std::vector<Choice> weighed = choices(collective, cost_model);
    add_engine_rows(model, call, weighed, bytes, flags.algorithm, before);
    before(model, bytes, "the papers' equations");
    add_paper_rows(model, call, weighed, bytes);
    const auto bound = bound_of_shape(model.operation, bytes, spec, model.machine);
    for (ModelledCollective& row : model.rows) {
      if (row.bytes == bytes) row.bound = bound;
    }
  }
  return model;
}

ExitCode run_model_collective(const ModelCollectiveFlags& flags) {
  CollectiveModel model;
  {
    Progress progress(static_cast<int>(parse_sizes(flags.sizes).size()), true);
    std::size_t size = 0, rows = 0;
    model = model_collective(
        flags, [&](const CollectiveModel& so_far, std::size_t bytes, const std::string& next) {
          const std::string name = fmt::format("{} bytes, {}", bytes, next);
          if (std::exchange(size, bytes) != bytes) {
            progress.step(name);
          } else {
            progress.now(name);
          }
          if (std::exchange(rows, so_far.rows.size()) != so_far.rows.size())
            print_when_interrupted(interrupted_text(so_far, flags.json));
        });
  }
  print_when_interrupted("");
  if (!flags.svg.empty()) write_svg(flags.svg, plot_of(model));
  print_result(model, flags.json);
  return ExitCode::done;
}

}  // namespace cuboid::detail::tools
