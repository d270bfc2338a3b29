#include "tools/command/ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/point_to_point/commands.hpp"
#include "tools/point_to_point/links.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

struct LinksFlags {
  RunFlags run;
  int window = LinksOptions().window;
  std::string memory = "host";
};

LinksOptions read_flags(const LinksFlags& flags) {
  constexpr std::size_t default_size = 64 << 10;
  LinksOptions options{.run = read_flags(flags.run, "links", {default_size, default_size}),
                       .window = flags.window};
  if (options.run.bytes.size() > 1)
    refuse(fmt::format("--size {}: links uses one size: give one", flags.run.sizes));
  options.memory = read_memory(flags.memory, options.run.against_mpi);
  if (flags.window < 1 || flags.window > 256)
    refuse(fmt::format("--window {}: give 1 to 256", flags.window));
  return options;
}

ExitCode run_command(const LinksFlags& flags, const Environment& environment) {
  const LinksOptions options = read_flags(flags);
  const Ranks ranks(options.run.ranks, std::max(2, ranks_for_usable_cores(1)));
  if (ranks.size() < 2) refuse("--ranks 1: one rank has no cable to another: give at least 2");
  const LinksResult result = ranks.result_of(
      environment, [&](const Communicator& world) { return run_links(options, world); });
  if (!ranks.speak()) return ExitCode::done;
  print_result(result, options.run.form);
  return ExitCode::done;
}

}  // namespace

void add_links_command(CLI::App& bench, CommandContext& context) {
  const auto flags = std::make_shared<LinksFlags>();
  CLI::App& command = *bench.add_subcommand(
      "links", "Rate of every cable in each direction, alone and with all others at once");
  declare_flags(command, flags->run,
                {.sizes_help = "Message size in bytes (default 64K)",
                 .osu = false,
                 .validate = false,
                 .warmup = false});
  command.get_option("--iterations")
      ->description("Number of windows; the result is their median (default 5)");
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
  command.footer("Example:\n  tools/lab run -- cuboid bench links");
  command.callback([flags, &context] {
    context.action = [flags, &context] { return run_command(*flags, context.environment); };
  });
}

}  // namespace cuboid::detail::tools
