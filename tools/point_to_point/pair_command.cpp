#include "tools/command/ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/point_to_point/commands.hpp"
#include "tools/point_to_point/pair_run.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr SizeRange pair_sizes{.first = 1, .last = 4 << 20, .empty_too = true};

struct PairFlags {
  RunFlags run;
  int window = 64;
  std::optional<int> pairs;
};

void declare_flags(CLI::App& command, PairFlags& flags, const PairMeasurement& test) {
  declare_flags(command, flags.run,
                {.sizes_help = "Message size in bytes: one size, or MIN:MAX in powers of two "
                               "(default 1:4M)",
                 .osu = true,
                 .percentiles = test.quantity != Quantity::overlap});
  command.get_option("--iterations")
      ->description("Repetitions per size (default: as many as fit in about half a second)");
  if (test.windowed) {
    command.add_option("-W,--window", flags.window, "Messages in flight")
        ->group("Message")
        ->capture_default_str();
  }
  if (test.many) {
    command
        .add_option("-p,--pairs", flags.pairs,
                    "Pairs at once: rank i and rank i + pairs (default: half the ranks)")
        ->group("Run");
  }
}

PairOptions read_flags(const PairFlags& flags, const PairMeasurement& test) {
  PairOptions options{.test = &test,
                      .run = read_flags(flags.run, test.name, pair_sizes),
                      .window = flags.window,
                      .pairs = flags.pairs};
  // A rank has at most 256 requests in flight: see Request.
  const int most_in_flight = 256 / test.directions;
  if (flags.window < 1 || flags.window > most_in_flight)
    refuse(fmt::format("--window {}: give 1 to {}", flags.window, most_in_flight));
  if (flags.pairs) require_at_least("--pairs", *flags.pairs, 1);
  if (options.run.against_mpi && options.run.bytes.back() > std::numeric_limits<int>::max())
    refuse(fmt::format("--size {}: MPI counts bytes in an int: give less", flags.run.sizes));
  return options;
}

ExitCode run_command(const PairFlags& flags, const PairMeasurement& test,
                     const Environment& environment) {
  const PairOptions options = read_flags(flags, test);
  const Ranks ranks(options.run.ranks, std::max(2, ranks_for_usable_cores(1)));
  pairs_of(options, ranks.size());
  RowPrinter<PairResult> printer(options.run.form);
  const PairResult result = ranks.result_of(environment, [&](const Communicator& world) {
    return run_pairs(options, world, [&](const PairResult& so_far) { printer.update(so_far); });
  });
  if (ranks.speak()) {
    printer.end(result);
    if (!result.right()) print_error("--validate: some bytes are wrong: see the column `errors`");
  }
  return result.right() ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_pair_commands(CLI::App& bench, CommandContext& context) {
  for (const PairMeasurement& test : pair_measurements()) {
    const auto flags = std::make_shared<PairFlags>();
    CLI::App& command = *bench.add_subcommand(test.name, test.help);
    declare_flags(command, *flags, test);
    command.footer(
        fmt::format("Examples:\n"
                    "  cuboid bench {0} --size 8:64K\n"
                    "  mpirun -n {1} cuboid bench {0} --against mpi",
                    test.name, test.many ? 4 : 2));
    command.callback([flags, &test, &context] {
      context.action = [flags, &test, &context] {
        return run_command(*flags, test, context.environment);
      };
    });
  }
}

}  // namespace cuboid::detail::tools
