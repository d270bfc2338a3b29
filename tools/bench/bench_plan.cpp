#include "tools/bench/bench_plan.hpp"

#include "base/page_text.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/plan_for_rank.hpp"
#include "collectives/selection/selection.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/command/memory.hpp"
#include "tools/machine/machine_flag.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/output/flag_values.hpp"

#include <chrono>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The call as this rank passes it: the root of a gather or a scatter passes all blocks.
Collective call_of_rank(Operation operation, std::size_t bytes, int ranks, int rank) {
  Collective call = call_of(operation, bytes, ranks);
  if (rank != call.root) return call;
  if (operation == Operation::gather) call.output_blocks = BlockList::equal(ranks, call.count);
  if (operation == Operation::scatter) call.input_blocks = BlockList::equal(ranks, call.count);
  return call;
}

/// The upper bound on the rate of a message of some bytes; nullopt if there is none.
using Bound = std::function<std::optional<double>(std::size_t)>;

PlannedCall plan(const Collective& collective, const GroupCostModel& cost_model, int rank,
                 const Bound& bound) {
  PlannedCall planned;
  planned.bytes = message_bytes(collective, cost_model.ranks());
  const PeakMemory memory;
  const auto start = Clock::now();
  const Choice choice = select(collective, cost_model);
  planned.select_seconds = seconds_since(start);
  const auto chosen = Clock::now();
  const PlannedCollective plan = plan_for_rank(collective, cost_model, rank, choice);
  planned.plan_seconds = seconds_since(chosen);
  planned.peak_bytes = memory.bytes();
  planned.algorithm = describe(choice);
  planned.steps = plan.schedule.steps.size();
  planned.predicted_seconds = choice.seconds;
  if (const auto most = bound(planned.bytes))
    planned.fraction_of_bound = static_cast<double>(planned.bytes) / choice.seconds / *most;
  return planned;
}

}  // namespace

void declare_flags(CLI::App& command, BenchPlanFlags& flags) {
  command.add_option("--network", flags.network,
                     "Network shape, one rank per node: torus:64x64x64, mesh:4x4, "
                     "torus:4x4@100mbit (default: the shape of the machine named by --parameters)");
  command
      .add_option("--parameters", flags.parameters,
                  fmt::format("Machine ({}) or file of measured parameters", machine_names()))
      ->capture_default_str();
  command
      .add_option("--operation", flags.operation,
                  "broadcast, reduce, allreduce, allgather, reduce_scatter, gather, scatter, "
                  "alltoall, barrier or multiply")
      ->capture_default_str();
  command.add_option(
      "--size", flags.sizes,
      "Message size in bytes: one size, or MIN:MAX in powers of two; the blocks of all "
      "ranks together (default 64M)");
  command.add_option("--rank", flags.rank, "The rank that plans; the root is rank 0")
      ->capture_default_str();
  command.add_option("--n", flags.n, "multiply: columns of C (default: 65536)");
  command.add_option("--m", flags.m, "multiply: rows of C (default: as --n)");
  command.add_option("--k", flags.k, "multiply: columns of A and rows of B (default: as --n)");
  command.add_flag("--json", flags.json, "Print one JSON object instead of a table");
}

PlanningCost bench_plan(const BenchPlanFlags& flags) {
  PlanningCost cost;
  cost.operation = operation_from(flags.operation);
  if (flags.m || flags.n || flags.k)
    refuse("--m, --n, --k: the extents of --operation multiply: leave them out");
  const bool barrier = cost.operation == Operation::barrier;
  if (barrier && !flags.sizes.empty())
    refuse(fmt::format("--size {}: a barrier has no message; leave it out", flags.sizes));
  Machine machine = machine_from_flag(flags.parameters);
  const ShapeSpec spec = network_from_flag(flags.network, machine);
  cost.shape = spec.shape;
  cost.parameters = machine.name;
  cost.rank = flags.rank;
  set_rate(machine, spec);
  if (flags.rank < 0 || flags.rank >= spec.shape.nodes())
    refuse(fmt::format("--rank {}: give 0 to {}", flags.rank, spec.shape.nodes() - 1));

  const GroupCostModel cost_model = one_rank_per_node(machine, spec);
  const Bound bound = [&](std::size_t bytes) {
    return bound_of_shape(cost.operation, bytes, spec, machine);
  };
  if (barrier) {
    cost.calls.push_back(plan(Collective{}, cost_model, flags.rank, bound));
    return cost;
  }
  for (const std::size_t bytes : parse_sizes(flags.sizes.empty() ? "64M" : flags.sizes)) {
    const Collective call = call_of_rank(cost.operation, bytes, cost_model.ranks(), flags.rank);
    // Several short sizes may be rounded up to the same message of one byte per rank.
    if (!cost.calls.empty() && cost.calls.back().bytes == message_bytes(call, cost_model.ranks()))
      continue;
    cost.calls.push_back(plan(call, cost_model, flags.rank, bound));
  }
  return cost;
}

Json to_json(const PlanningCost& cost) {
  Json object = {{"operation", to_string(cost.operation)},
                 {"network", cost.shape.to_string()},
                 {"ranks", cost.shape.nodes()},
                 {"rank", cost.rank},
                 {"parameters", cost.parameters},
                 {"results", Json::array()}};
  for (const PlannedCall& call : cost.calls) {
    object["results"].push_back(
        {{"bytes", call.bytes},
         {"algorithm", call.algorithm},
         {"select_seconds", call.select_seconds},
         {"plan_seconds", call.plan_seconds},
         {"peak_bytes", call.peak_bytes},
         {"steps", call.steps},
         {"predicted_seconds", call.predicted_seconds},
         {"fraction_of_bound",
          call.fraction_of_bound ? Json(*call.fraction_of_bound) : Json(nullptr)}});
  }
  return object;
}

std::string to_text(const PlanningCost& cost) {
  std::string text =
      fmt::format("# {} on {}, rank {} of {}, {}\n", to_string(cost.operation),
                  cost.shape.to_string(), cost.rank, cost.shape.nodes(), cost.parameters);
  std::vector<PageRow> rows;
  for (const PlannedCall& call : cost.calls) {
    const std::size_t comma = call.algorithm.find(", ");  // before the settings
    rows.push_back(
        {.section = "",
         .cells = {
             call.algorithm.substr(0, comma), std::to_string(call.bytes),
             fmt::format("{:.3f}", call.select_seconds * 1e3),
             fmt::format("{:.3f}", call.plan_seconds * 1e3),
             fmt::format("{:.2f}", static_cast<double>(call.peak_bytes) * 1e-6),
             std::to_string(call.steps), fmt::format("{:.2f}", call.predicted_seconds * 1e6),
             call.fraction_of_bound ? fmt::format("{:.1f}%", 100 * *call.fraction_of_bound) : "-",
             comma == std::string::npos ? "-" : call.algorithm.substr(comma + 2)}});
  }
  constexpr std::size_t labels = 2;
  text += page_table({"algorithm", "bytes", "select ms", "plan ms", "peak MB", "steps",
                      "predicted us", "of bound", "settings"},
                     labels, rows);
  return text;
}

}  // namespace cuboid::detail::tools
