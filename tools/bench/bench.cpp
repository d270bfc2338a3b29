#include "tools/bench/bench.hpp"

#include "tools/bench/bench_calibrate.hpp"
#include "tools/bench/bench_case.hpp"
#include "tools/bench/bench_options.hpp"
#include "tools/bench/bench_plan.hpp"
#include "tools/bench/bench_product.hpp"
#include "tools/bench/bench_run.hpp"
#include "tools/command/ranks.hpp"
#include "tools/point_to_point/commands.hpp"

#include <memory>

namespace cuboid::detail::tools {

namespace {

ExitCode measure(const BenchFlags& flags, const Environment& environment) {
  const BenchOptions options = read_flags(flags);
  const Ranks ranks(options.run.ranks, ranks_for_usable_cores(1));
  // The root is checked before the ranks start: the check does not need them.
  require_root(options.root, ranks.size());
  RowPrinter<BenchResult> printer(options.run.form);
  // Equal on every rank, except for the bound of the rank's line.
  const BenchResult result = ranks.result_of(environment, [&](const Communicator& world) {
    return run_bench(options, world, [&](const BenchResult& so_far) { printer.update(so_far); });
  });
  if (ranks.speak()) {
    printer.end(result);
    if (!result.right()) print_error("--validate: some results are wrong: see the column `errors`");
  }
  return result.right() ? ExitCode::done : ExitCode::failed;
}

void add_plan(CLI::App& bench, CommandContext& context) {
  const auto flags = std::make_shared<BenchPlanFlags>();
  CLI::App& command = *bench.add_subcommand(
      "plan", "Measure one rank's cost of planning a collective or a product; needs no network");
  declare_flags(command, *flags);
  command.footer(
      "Examples:\n"
      "  cuboid bench plan --network torus:64x64x64 --operation allreduce --size 64M\n"
      "  cuboid bench plan --network torus:16x16 --operation multiply --n 8192");
  command.callback([flags, &context] {
    context.action = [flags] {
      if (!is_first_process()) return ExitCode::done;
      if (flags->operation == "multiply") {
        print_result(bench_product(*flags), flags->json);
      } else {
        print_result(bench_plan(*flags), flags->json);
      }
      return ExitCode::done;
    };
  });
}

}  // namespace

void add_bench_command(CLI::App& app, CommandContext& context) {
  const auto flags = std::make_shared<BenchFlags>();
  CLI::App* const command = app.add_subcommand(
      "bench", "Measure collectives, messages and cables, against the network's bound and MPI");
  command->require_subcommand(0, 1);
  declare_flags(*command, *flags);
  add_plan(*command, context);
  add_pair_commands(*command, context);
  add_all_pairs_command(*command, context);
  add_links_command(*command, context);
  for (const CLI::App* const one : command->get_subcommands(nullptr))
    flags->subcommands.push_back(one->get_name());
  // After the subcommands, which would inherit it.
  command->footer(
      "Examples:\n"
      "  cuboid bench allreduce --size 8:1M --ranks 2\n"
      "  cuboid bench broadcast --size 1M --ranks 4 --algorithm all\n"
      "  mpirun -n 4 cuboid bench broadcast --size 16M --against mpi --validate\n"
      "  mpirun -n 4 cuboid bench allgatherv --call nonblocking --osu -f -m 1:64K\n"
      "  tools/lab run -- cuboid bench broadcast --size 4M --lines 1 --json\n"
      "  cuboid bench --calibrate");
  command->callback([flags, command, &context] {
    if (!command->get_subcommands().empty()) return;
    context.action = [flags, &context] {
      return flags->calibrate ? run_calibration(*flags, context.environment)
                              : measure(*flags, context.environment);
    };
  });
}

}  // namespace cuboid::detail::tools
