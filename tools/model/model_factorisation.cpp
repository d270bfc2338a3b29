#include "tools/model/model_factorisation.hpp"

#include "base/page_text.hpp"
#include "tools/factorisation/plan_table.hpp"
#include "tools/factorisation/step_cost.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/model/model_ranks.hpp"
#include "tools/output/flag_values.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t double_bytes = sizeof(double);

void declare_shared_flags(CLI::App& command, ModelFactorisationFlags& flags) {
  command.add_option("--ranks", flags.ranks, "Number of ranks, one per node");
  command.add_option("--network", flags.network,
                     "Network shape, one rank per node, e.g. torus:8x8x8: grids are laid on it; "
                     "--ranks may then be left out");
  command.add_option("--block", flags.block, "Columns of a panel (default: all sensible ones)");
  declare_parameters_flag(command, flags.parameters, flags.paper_machine);
  command.add_option("--flops", flags.flops, "Flop/s of one rank, instead of the machine's");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

/// The machine and the request that the flags give, without plans.
template <class Plan>
FactorisationModel<Plan> model_from_flags(const ModelFactorisationFlags& flags,
                                          FactorisationKind kind, std::optional<std::int64_t> m) {
  if (!flags.n) refuse("--n is missing: give --n and --ranks");
  require_at_least("--n", *flags.n, 1);
  if (m) require_at_least("--m", *m, 1);
  if (flags.flops && !(*flags.flops > 0))
    refuse(fmt::format("--flops {}: give more than 0", *flags.flops));
  FactorisationModel<Plan> model;
  model.machine = machine_from_flag(flags.parameters);
  ModelledRanks given = ranks_from_flags(
      {.network = flags.network, .ranks = flags.ranks, .others = "--n"}, model.machine);
  if (flags.flops) model.machine.flops_per_second = *flags.flops;
  constexpr double endless = 1e300;
  const double flops = model.machine.flops_per_second;
  model.request = {.kind = kind,
                   .m = m.value_or(*flags.n),
                   .n = *flags.n,
                   .element_bytes = double_bytes,
                   .ranks = given.ranks,
                   .rates = {.network = hockney(model.machine.between_nodes),
                             .multiplications_per_second = flops > 0 ? flops / 2 : endless},
                   .placement = std::move(given.placement)};
  return model;
}

/// The words of a rank's memory that the fastest plan needs.
template <class Plan>
double memory_of_soonest(const FactorisationModel<Plan>& model) {
  return static_cast<double>(model.plans.front().memory_bytes) / static_cast<double>(double_bytes);
}

/// The number of plans that are listed.
constexpr std::size_t listed = 12;

template <class Plan>
std::string text_of(const FactorisationModel<Plan>& model, const char* name) {
  const FactoriseRequest& request = model.request;
  std::string text =
      fmt::format("# {}, {} x {}, {} bytes a word, {} ranks, {} ({})\n", name, request.m, request.n,
                  double_bytes, request.ranks, model.machine.name, model.machine.source);
  text += plan_table(model.plans, model.candidates);
  text += fmt::format("lower bound {:.0f} words\n", model.bound_words);
  if (model.machine.flops_per_second == 0) {
    text += fmt::format(
        "\nThe flop rate of {} is unknown, so the times are of communication alone: give "
        "--flops.\n",
        model.machine.name);
  }
  constexpr std::size_t indent = 2;
  return folded(text, indent);
}

template <class Model>
ExitCode print_model(const Model& model, bool json) {
  print_result(model, json);
  return ExitCode::done;
}

}  // namespace

Json to_json(const QrModel& model) {
  Json object = {{"m", model.request.m},
                 {"n", model.request.n},
                 {"ranks", model.request.ranks},
                 {"parameters", model.machine.name},
                 {"bound_words", model.bound_words},
                 {"candidates", model.candidates},
                 {"results", Json::array()}};
  for (const QrPlan& plan : model.plans) {
    const QrCommunication& sent = plan.communication;
    object["results"].push_back({{"grid", {plan.grid.rows(), plan.grid.columns()}},
                                 {"block", plan.block},
                                 {"seconds", plan.seconds.total()},
                                 {"panel_seconds", plan.seconds.panel},
                                 {"multicast_seconds", plan.seconds.multicast},
                                 {"sums_seconds", plan.seconds.rows},
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

Json to_json(const CholeskyModel& model) {
  Json object = {{"n", model.request.n},
                 {"ranks", model.request.ranks},
                 {"parameters", model.machine.name},
                 {"bound_words", model.bound_words},
                 {"candidates", model.candidates},
                 {"results", Json::array()}};
  for (const FactorisePlan& plan : model.plans) {
    const LuCommunication& sent = plan.communication;
    object["results"].push_back(
        {{"grid", {plan.grid.rows(), plan.grid.columns(), plan.grid.layers()}},
         {"block", plan.block},
         {"seconds", plan.seconds.total()},
         {"panel_seconds", plan.seconds.panel},
         {"multicast_seconds", plan.seconds.multicast},
         {"update_seconds", plan.seconds.update},
         {"words", sent.total().words},
         {"messages", sent.total().messages},
         {"steps", {{"panel", step_json(sent.panel)}, {"multicast", step_json(sent.multicast)}}},
         {"memory_bytes", plan.memory_bytes}});
  }
  return object;
}

std::string to_text(const QrModel& model) {
  return text_of(model, "QR");
}

std::string to_text(const CholeskyModel& model) {
  return text_of(model, "Cholesky");
}

void declare_flags(CLI::App& command, ModelQrFlags& flags) {
  command.add_option("--m", flags.m, "Rows of the matrix (default: those of a square one)");
  command.add_option("--n", flags.n, "Columns of the matrix");
  declare_shared_flags(command, flags);
}

void declare_flags(CLI::App& command, ModelCholeskyFlags& flags) {
  command.add_option("--n", flags.n, "Rows and columns of the matrix");
  command.add_option(
      "--layers", flags.layers,
      "Number of copies of the matrix (default: all up to the cube root of --ranks)");
  declare_shared_flags(command, flags);
}

QrModel model_qr(const ModelQrFlags& flags) {
  auto model = model_from_flags<QrPlan>(flags, FactorisationKind::qr, flags.m);
  const FactoriseRequest& request = model.request;
  model.plans = qr_candidates(request, {.block = flags.block});
  model.candidates = model.plans.size();
  model.plans.resize(std::min(model.plans.size(), listed));
  model.bound_words = qr_least_words(static_cast<double>(request.m), static_cast<double>(request.n),
                                     request.ranks, memory_of_soonest(model));
  return model;
}

CholeskyModel model_cholesky(const ModelCholeskyFlags& flags) {
  auto model = model_from_flags<FactorisePlan>(flags, FactorisationKind::cholesky, std::nullopt);
  const FactoriseRequest& request = model.request;
  SoonestPlans soonest =
      soonest_plans(request, {.layers = flags.layers, .block = flags.block}, listed);
  model.plans = std::move(soonest.plans);
  model.candidates = soonest.candidates;
  model.bound_words =
      cholesky_least_words(static_cast<double>(request.n), request.ranks, memory_of_soonest(model));
  return model;
}

ExitCode run_model_qr(const ModelQrFlags& flags) {
  return print_model(model_qr(flags), flags.json);
}

ExitCode run_model_cholesky(const ModelCholeskyFlags& flags) {
  return print_model(model_cholesky(flags), flags.json);
}

}  // namespace cuboid::detail::tools
