#include "tools/command/ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/gnuplot.hpp"
#include "tools/output/text_output.hpp"
#include "tools/point_to_point/commands.hpp"
#include "tools/point_to_point/heat_map.hpp"
#include "tools/point_to_point/links.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// What both commands can be told: they send windows of messages of one size.
struct WindowFlags {
  RunFlags run;
  int window = 0;
  std::string memory = "host";
};

struct AllPairsFlags : WindowFlags {
  std::string svg;
};

struct WindowTexts {
  const char* sizes;
  const char* iterations;
  const char* example;
};

void declare_flags(CLI::App& command, WindowFlags& flags, const WindowTexts& texts) {
  declare_flags(command, flags.run,
                {.sizes_help = texts.sizes, .osu = false, .validate = false, .warmup = false});
  command.get_option("--iterations")->description(texts.iterations);
  command.add_option("-W,--window", flags.window, "Messages in flight")
      ->group("Message")
      ->capture_default_str();
  command
      .add_option(
          "--memory", flags.memory,
          "Where the buffers lie: host; device, a CUDA device's memory; D:H, the sender's on "
          "a device, the receiver's on the host; or H:D, the other way round")
      ->group("Message")
      ->capture_default_str();
  command.footer(texts.example);
}

template <class Options>
Options read_flags(const WindowFlags& flags, const char* name) {
  constexpr std::size_t default_size = 64 << 10;
  Options options{.run = read_flags(flags.run, name, {default_size, default_size}),
                  .window = flags.window};
  if (options.run.bytes.size() > 1)
    refuse(fmt::format("--size {}: {} uses one size: give one", flags.run.sizes, name));
  options.memory = read_memory(flags.memory, options.run.against_mpi);
  if (flags.window < 1 || flags.window > 256)
    refuse(fmt::format("--window {}: give 1 to 256", flags.window));
  return options;
}

ExitCode run_pairs(const AllPairsFlags& flags, const Environment& environment) {
  const auto options = read_flags<AllPairsOptions>(flags, "pairs");
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

ExitCode run_links(const WindowFlags& flags, const Environment& environment) {
  const auto options = read_flags<LinksOptions>(flags, "links");
  const Ranks ranks(options.run.ranks, std::max(2, ranks_for_usable_cores(1)));
  if (ranks.size() < 2) refuse("--ranks 1: one rank has no cable to another: give at least 2");
  const LinksResult result = ranks.result_of(
      environment, [&](const Communicator& world) { return run_links(options, world); });
  if (!ranks.speak()) return ExitCode::done;
  print_result(result, options.run.form);
  return ExitCode::done;
}

}  // namespace

void add_all_pairs_command(CLI::App& bench, CommandContext& context) {
  const auto flags = std::make_shared<AllPairsFlags>();
  flags->window = AllPairsOptions().window;
  CLI::App& command = *bench.add_subcommand(
      "pairs", "Latency and bandwidth of every pair of ranks, one after the other, as a heat map");
  declare_flags(command, *flags,
                {"Message size for the bandwidth in bytes (default 64K)",
                 "Number of tries; the result is their median (default 3)",
                 "Example:\n  tools/lab run -- cuboid bench pairs --svg pairs.svg"});
  command.add_option("--svg", flags->svg, "Draw the heat map to this file")->group("Output");
  command.callback([flags, &context] {
    context.action = [flags, &context] { return run_pairs(*flags, context.environment); };
  });
}

void add_links_command(CLI::App& bench, CommandContext& context) {
  const auto flags = std::make_shared<WindowFlags>();
  flags->window = LinksOptions().window;
  CLI::App& command = *bench.add_subcommand(
      "links", "Rate of every cable in each direction, alone and with all others at once");
  declare_flags(command, *flags,
                {"Message size in bytes (default 64K)",
                 "Number of windows; the result is their median (default 5)",
                 "Example:\n  tools/lab run -- cuboid bench links"});
  command.callback([flags, &context] {
    context.action = [flags, &context] { return run_links(*flags, context.environment); };
  });
}

}  // namespace cuboid::detail::tools
