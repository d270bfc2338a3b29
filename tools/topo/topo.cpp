#include "tools/topo/topo.hpp"

#include <cuboid/discovery.hpp>
#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include "tools/command/ranks.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/text_output.hpp"
#include "tools/topo/topo_export.hpp"
#include "tools/topo/topo_report.hpp"
#include "tools/topo/traffic_file.hpp"
#include "topology/discovery/discover_from.hpp"
#include "topology/discovery/draw.hpp"
#include "topology/machine/topology_files.hpp"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

struct TopoOptions {
  std::optional<std::string> topology;
  std::optional<std::string> from;
  std::optional<std::string> draw;
  std::optional<std::string> traffic;
  std::string title;
  std::optional<std::string> output;
  std::optional<int> ranks;
  bool json = false;
};

/// The discovered network, and whether this process prints it.
struct Found {
  Discovery discovery;
  bool speak = true;
};

Found discover_launched(const Environment& environment, const DiscoveryOptions& options) {
  const std::unique_ptr<Bootstrap> bootstrap = mpi_bootstrap(MPI_COMM_WORLD, environment);
  const auto all_gather = [&](std::span<const std::byte> mine) {
    return bootstrap->allgather(mine);
  };
  return {discover(bootstrap->rank(), bootstrap->size(), all_gather, environment, options),
          bootstrap->rank() == 0};
}

/// Discovers the machine for ranks that are threads of one process. They would make equal reports,
/// so one report stands for all.
Found discover_alone(int ranks, const Environment& environment, const DiscoveryOptions& options) {
  if (ranks < 1)
    throw Error(ErrorCode::invalid_argument, fmt::format("--ranks {}: give at least 1", ranks));
  constexpr int most_ranks = 1 << 16;  // each rank needs memory for its report
  if (ranks > most_ranks) refuse(fmt::format("--ranks {}: give at most {}", ranks, most_ranks));
  const auto all_gather = [ranks](std::span<const std::byte> mine) {
    return std::vector<std::vector<std::byte>>(static_cast<std::size_t>(ranks),
                                               {mine.begin(), mine.end()});
  };
  return {discover(0, ranks, all_gather, environment, options), true};
}

Found find(const TopoOptions& options, const Environment& environment) {
  DiscoveryOptions wanted;
  wanted.topology = options.topology;
  wanted.topology_origin = "--topology";
  try {
    if (MpiSession::launched() && options.ranks)
      refuse(fmt::format("--ranks {}: the launcher sets the number of ranks: leave it out",
                         *options.ranks));
    if (MpiSession::launched()) return discover_launched(environment, wanted);
    return discover_alone(options.ranks.value_or(1), environment, wanted);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::parse || !options.topology) throw;
    refuse(error.what());
  }
}

ExitCode show(const Found& found, const TopoOptions& options, const DevicesHere& devices) {
  if (!found.speak) return ExitCode::done;
  if (options.draw) {
    std::optional<NetworkTraffic> traffic;
    if (options.traffic)
      traffic = parse_traffic_file(read_topology_file(*options.traffic), found.discovery.network);
    write_text_file("--draw", *options.draw,
                    draw_svg(found.discovery, options.title, traffic ? &*traffic : nullptr));
  }
  if (options.output)
    write_text_file("--export", *options.output,
                    exported(found.discovery.network, *options.output));
  if (options.json) {
    print_json(topo_json(found.discovery, devices));
  } else {
    print_text(topo_text(found.discovery, devices));
  }
  return ExitCode::done;
}

}  // namespace

void add_topo_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<TopoOptions>();
  CLI::App* command = app.add_subcommand(
      "topo", "Show the machine: the network's shape, the nodes and the placement of ranks");
  auto* topology = command->add_option(
      "--topology", options->topology,
      "Network or source, instead of CUBOID_TOPOLOGY: a shape (torus:4x4@100mbit), file:PATH, or a "
      "source (coordinates, kernel, infiniband, slurm, flat); auto tries the sources in this "
      "order");
  auto* from = command->add_option(
      "--from", options->from,
      "Show the network of this file instead of this machine: ibnetdiscover's output, Slurm's "
      "topology.conf or topology.yaml, the output of scontrol show topology, or JSON");
  from->excludes(topology);
  auto* draw = command->add_option("--draw", options->draw, "Draw the network to this SVG file");
  command
      ->add_option("--traffic", options->traffic,
                   "Colour the links of --draw by how busy they were: the output of lab links "
                   "--json on this network")
      ->needs(draw);
  command->add_option("--title", options->title, "Title of --draw (default: the shape)")
      ->needs(draw);
  command->add_option("--export", options->output,
                      "Write the network to this file: .dot (Graphviz), .json (for "
                      "CUBOID_TOPOLOGY=file:), .xml (SimGrid) or .hwloc (hwloc's XML of this "
                      "node, for lstopo -i)");
  command
      ->add_option("--ranks", options->ranks,
                   "Number of ranks to place, without a launcher (default 1)")
      ->excludes(from);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &context] {
    context.action = [options, &context] {
      if (!options->from)
        return show(find(*options, context.environment), *options,
                    devices_here(context.environment));
      return show({describe_file(read_topology_file(*options->from)), is_first_process()}, *options,
                  {});
    };
  });
}

}  // namespace cuboid::detail::tools
