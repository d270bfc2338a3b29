#include "tools/command/ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/gnuplot.hpp"
#include "tools/output/text_output.hpp"
#include "tools/point_to_point/commands.hpp"
#include "tools/point_to_point/heat_map.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

struct AllPairsFlags {
  RunFlags run;
  int window = AllPairsOptions().window;
  std::string memory = "host";
  std::string svg;
};

AllPairsOptions read_flags(const AllPairsFlags& flags) {
  constexpr std::size_t default_size = 64 << 10;
  AllPairsOptions options{.run = read_flags(flags.run, "pairs", {default_size, default_size}),
                          .window = flags.window};
  if (options.run.bytes.size() > 1)
    refuse(fmt::format("--size {}: pairs uses one size: give one", flags.run.sizes));
  options.memory = read_memory(flags.memory, options.run.against_mpi);
  if (flags.window < 1 || flags.window > 256)
    refuse(fmt::format("--window {}: give 1 to 256", flags.window));
  return options;
}

ExitCode run_command(const AllPairsFlags& flags, const Environment& environment) {
  const AllPairsOptions options = read_flags(flags);
  const Ranks ranks(options.run.ranks, std::max(2, ranks_for_usable_cores(1)));
  if (ranks.size() < 2) refuse("--ranks 1: one rank forms no pair: give at least 2");
  if (!flags.svg.empty() && ranks.speak()) {
    require_gnuplot();
    prepare_text_file("--svg", flags.svg);
  }
  const AllPairsResult result = ranks.result_of(
      environment, [&](const Communicator& world) { return run_all_pairs(options, world); });
  if (!ranks.speak()) return ExitCode::done;
  if (!flags.svg.empty()) write_heat_map(flags.svg, result);
  print_result(result, options.run.form);
  return ExitCode::done;
}

}  // namespace

void add_all_pairs_command(CLI::App& bench, CommandContext& context) {
  const auto flags = std::make_shared<AllPairsFlags>();
  CLI::App& command = *bench.add_subcommand(
      "pairs", "Latency and bandwidth of every pair of ranks, one after the other, as a heat map");
  declare_flags(command, flags->run,
                {.sizes_help = "Message size for the bandwidth in bytes (default 64K)",
                 .osu = false,
                 .validate = false,
                 .warmup = false});
  command.get_option("--iterations")
      ->description("Number of tries; the result is their median (default 3)");
  command.add_option("-W,--window", flags->window, "Messages in flight")
      ->group("Message")
      ->capture_default_str();
  command
      .add_option(
          "--memory", flags->memory,
          "Where the buffers lie: host; device, a CUDA device's memory; D:H, the sender's on "
          "a device, the receiver's on the host; or H:D, the other way round")
      ->group("Message")
      ->capture_default_str();
  command.add_option("--svg", flags->svg, "Draw the heat map to this file")->group("Output");
  command.footer("Example:\n  tools/lab run -- cuboid bench pairs --svg pairs.svg");
  command.callback([flags, &context] {
    context.action = [flags, &context] { return run_command(*flags, context.environment); };
  });
}

}  // namespace cuboid::detail::tools
