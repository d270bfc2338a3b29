#include "tools/model/model_qr.hpp"

#include "tools/machine/machine_flag.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/model/model_ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/refuse.hpp"
#include "tools/output/step_cost.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t double_bytes = sizeof(double);

FactoriseRequest request_of(const QrModel& model, std::optional<Placement> placement) {
  constexpr double endless = 1e300;
  const double flops = model.machine.flops_per_second;
  return {.m = model.m,
          .n = model.n,
          .element_bytes = double_bytes,
          .ranks = model.ranks,
          .rates = {.network = hockney(model.machine.between_nodes),
                    .multiplications_per_second = flops > 0 ? flops / 2 : endless},
          .placement = std::move(placement)};
}

}  // namespace

Json to_json(const QrModel& model) {
  Json object = {{"m", model.m},
                 {"n", model.n},
                 {"ranks", model.ranks},
                 {"parameters", model.machine.name},
                 {"bound_words", model.bound_words},
                 {"results", Json::array()}};
  for (const QrPlan& plan : model.plans) {
    const QrCommunication& sent = plan.communication;
    object["results"].push_back({{"grid", {plan.grid.rows(), plan.grid.columns()}},
                                 {"block", plan.block},
                                 {"seconds", plan.seconds.total()},
                                 {"panel_seconds", plan.seconds.panel},
                                 {"multicast_seconds", plan.seconds.multicast},
                                 {"sums_seconds", plan.seconds.sums},
                                 {"update_seconds", plan.seconds.update},
                                 {"words", sent.total().words},
                                 {"messages", sent.total().messages},
                                 {"steps",
                                  {{"panel", step_json(sent.panel)},
                                   {"multicast", step_json(sent.multicast)},
                                   {"sums", step_json(sent.sums)}}},
                                 {"memory_bytes", plan.memory_bytes}});
  }
  return object;
}

std::string to_text(const QrModel& model) {
  std::string text =
      fmt::format("# QR, {} x {}, {} bytes a word, {} ranks, {} ({})\n", model.m, model.n,
                  double_bytes, model.ranks, model.machine.name, model.machine.source);
  text += explain(model.plans);
  text += fmt::format("lower bound {:.0f} words\n", model.bound_words);
  if (model.machine.flops_per_second == 0) {
    text += fmt::format(
        "\nThe flop rate of {} is unknown, so the times are of communication alone: give "
        "--flops.\n",
        model.machine.name);
  }
  return text;
}

void declare_flags(CLI::App& command, ModelQrFlags& flags) {
  command.add_option("--m", flags.m, "Rows of the matrix (default: those of a square one)");
  command.add_option("--n", flags.n, "Columns of the matrix");
  command.add_option("--ranks", flags.ranks, "Number of ranks, one per node");
  command.add_option("--network", flags.network,
                     "Network shape, one rank per node, e.g. torus:8x8x8: grids are laid on it; "
                     "--ranks may then be left out");
  command.add_option("--block", flags.block, "Columns of a panel (default: all sensible ones)");
  command
      .add_option("--parameters", flags.parameters,
                  fmt::format("Machine ({}) or file of measured parameters", machine_names()))
      ->capture_default_str();
  command.add_option("--flops", flags.flops, "Flop/s of one rank, instead of the machine's");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

QrModel model_qr(const ModelQrFlags& flags) {
  if (!flags.n) refuse("--n is missing: give --n and --ranks");
  require_at_least("--n", *flags.n, 1);
  if (flags.m) require_at_least("--m", *flags.m, 1);
  if (flags.flops && !(*flags.flops > 0))
    refuse(fmt::format("--flops {}: give more than 0", *flags.flops));
  QrModel model;
  model.machine = machine_from_flag(flags.parameters);
  ModelledRanks given = ranks_from_flags(
      {.network = flags.network, .ranks = flags.ranks, .others = "--n"}, model.machine);
  if (flags.flops) model.machine.flops_per_second = *flags.flops;
  model.n = *flags.n;
  model.m = flags.m.value_or(model.n);
  model.ranks = given.ranks;
  model.plans =
      qr_candidates(request_of(model, std::move(given.placement)), {.block = flags.block});
  const double memory =
      static_cast<double>(model.plans.front().memory_bytes) / static_cast<double>(double_bytes);
  model.bound_words = qr_least_words(static_cast<double>(model.m), static_cast<double>(model.n),
                                     model.ranks, memory);
  return model;
}

ExitCode run_model_qr(const ModelQrFlags& flags) {
  const QrModel model = model_qr(flags);
  print_result(model, flags.json);
  return ExitCode::done;
}

}  // namespace cuboid::detail::tools
