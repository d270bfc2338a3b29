#include "tools/bench/bench_calibrate.hpp"

#include <cuboid/error.hpp>

#include "collectives/calibration/calibration.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "collectives/communicator/measured_parameters.hpp"
#include "mm/local/library_choice.hpp"
#include "mm/plan/measured_overlap.hpp"
#include "models/messages/parameters_file.hpp"
#include "tools/command/ranks.hpp"
#include "tools/command/stolen_time.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/progress.hpp"
#include "tools/output/text_output.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::string row(const std::string& name, const std::optional<Measured>& number, double scale,
                const char* unit) {
  if (!number) return "";
  return fmt::format("  {:<30} {:>12.4g} {:>12.4g} {:>12.4g}  {}\n", name, number->value * scale,
                     number->least * scale, number->most * scale, unit);
}

Measured rate_of(const Measured& seconds_per_byte) {
  const auto rate = [](double seconds) { return seconds > 0 ? 1 / seconds : 0; };
  return {rate(seconds_per_byte.value), rate(seconds_per_byte.most), rate(seconds_per_byte.least)};
}

std::string messages_text(const MeasuredMessages& messages) {
  std::string text = row("alpha, a short message", messages.alpha, 1e6, "us");
  text += row("latency L", messages.latency, 1e6, "us");
  text += row("send overhead o", messages.send_overhead, 1e6, "us");
  text += row("receive overhead o", messages.receive_overhead, 1e6, "us");
  text += row("gap g", messages.gap, 1e6, "us");
  text += row("beta, gap per byte G", messages.beta, 1e9, "ns");
  text += row("rate 1/G", rate_of(messages.beta), 1e-6, "MB/s");
  return text;
}

}  // namespace

Parameters calibrate_in_peace(const Communicator& world, int most_tries) {
  Parameters best;
  double least = 1;
  for (int number = 0; number < most_tries && least > most_stolen; ++number) {
    Progress progress(calibration_steps(world), world.rank() == 0);
    const StolenTime stolen;
    Parameters measured =
        calibrate(world, [&](const std::string& what) { progress.step("calibrate: " + what); });
    measured.overlap =
        measured_overlap(with_parameters(world, measured), LocalGemm::open(world.environment(), 1));
    const double share = stolen.largest_share(world);
    if (number > 0 && share >= least) continue;
    least = share;
    best = std::move(measured);
  }
  if (least > most_stolen && world.rank() == 0) {
    world.logger().warn(
        fmt::format("calibration: the hypervisor took {:.0f}% of the cores' time during the "
                    "measurement, so predictions may be off: calibrate again when the machine is "
                    "quiet",
                    100 * least));
  }
  return best;
}

std::string to_text(const Parameters& parameters) {
  int ranks = 0;
  for (const auto& host : parameters.key.hosts) ranks += host.ranks;
  std::string text = fmt::format("# calibration, {} ranks on {} hosts, {} cables\n", ranks,
                                 parameters.key.hosts.size(), parameters.key.cables.size());
  text += fmt::format("  {:<30} {:>12} {:>12} {:>12}\n", "", "value", "95% from", "to");
  if (parameters.between_nodes) {
    text += "between nodes\n" + messages_text(*parameters.between_nodes);
    text += row("each further cable on the way", parameters.hop, 1e6, "us");
    text += row("node's rate over all cables", parameters.injection, 1e-6, "MB/s");
    text += row("burst after idling", parameters.burst, 1e-3, "kB");
    text += row("link rate lost to incast", parameters.incast_loss, 100, "%");
    text += row("overlap with a local gemm", parameters.overlap, 100, "%");
    text += row("context switch, between nodes", parameters.network_context_switch, 1e6, "us");
    for (const MessageSample& sample : parameters.crowded_network) {
      text += fmt::format("  {:>5} bytes, all ranks sending {:>13.4g} {:>28}\n", sample.bytes,
                          sample.seconds * 1e6, "us of CPU time");
    }
  }
  if (parameters.within_node) {
    text += "within a node\n" + messages_text(*parameters.within_node);
    text += row("CPU time per message", parameters.message_overhead, 1e6, "us");
    text += row("rate to all readers of a rank", parameters.source, 1e-6, "MB/s");
    text += row("context switch, waiting rank", parameters.context_switch, 1e6, "us");
  }
  return text;
}

namespace {

/// The rates of the libraries that could multiply, and which of them should.
std::string libraries_text(const std::vector<LibraryRate>& libraries) {
  std::string text = "a local product on one core, double precision\n";
  for (const LibraryRate& library : libraries) {
    text += fmt::format("  {:<30} {:>12.4g} {:>25}  GFLOP/s\n", library.multiplies ? "in use" : "",
                        1e-9 * library.flops_per_second, "");
    text += fmt::format("    {}\n", library.name);
  }
  return text;
}

/// Warns if a library that is not in use multiplies by 5% faster, which is more than two
/// measurements of one library differ by on a quiet machine.
void advise(const std::vector<LibraryRate>& libraries, const Logger& logger) {
  constexpr double clearly = 1.05;
  if (libraries.empty()) return;
  const auto fastest = std::ranges::max_element(libraries, {}, &LibraryRate::flops_per_second);
  const LibraryRate& used = libraries.front();
  if (fastest->flops_per_second <= clearly * used.flops_per_second) return;
  logger.warn(
      fmt::format("local products: {} multiplies {:.3g} GFLOP/s on a core, {} {:.3g}: set "
                  "CUBOID_BLAS={}",
                  fastest->name, 1e-9 * fastest->flops_per_second, used.name,
                  1e-9 * used.flops_per_second, fastest->path));
}

}  // namespace

ExitCode run_calibration(const BenchFlags& flags, const Environment& environment) {
  if (!flags.operation.empty()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--calibrate measures no operation: run {} separately", flags.operation));
  }
  const std::pair<bool, const char*> of_operations[] = {
      {!flags.run.sizes.empty(), "--size"},
      {flags.lines.has_value(), "--lines"},
      {flags.run.validate, "--validate"},
      {!flags.run.against.empty(), "--against"},
      {!flags.run.message_size.empty(), "--message-size"},
      {flags.run.osu, "--osu"},
      {!flags.run.percentiles.empty(), "--tail-lat"},
      {flags.run.csv, "--csv"},
      {!flags.sub_box.empty(), "--sub-box"},
      {flags.call != BenchFlags().call, "--call"},
      {flags.in_place, "--in-place"},
      {flags.samples, "--samples"},
      {flags.run.iterations.has_value(), "--iterations"},
      {flags.algorithm != BenchFlags().algorithm, "--algorithm"},
      {flags.type != BenchFlags().type, "--type"},
      {flags.root != BenchFlags().root, "--root"},
      {flags.run.warmup.has_value(), "--warmup"}};
  for (const auto& [given, flag] : of_operations) {
    if (given) refuse(fmt::format("{}: has no effect on --calibrate: leave it out", flag));
  }
  if (flags.run.ranks && *flags.run.ranks < 2) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--ranks {}: --calibrate measures messages between ranks: give at least 2",
                    *flags.run.ranks));
  }
  const Ranks ranks(flags.run.ranks, std::max(2, ranks_for_usable_cores(1)));
  Environment built_in = environment;
  built_in.parameters = "none";  // they are about to be replaced, and may be unreadable
  Parameters measured;
  std::vector<LibraryRate> libraries;
  std::string path = flags.output;
  ranks.run(built_in, [&](const Communicator& world) {
    const bool first = world.rank() == 0;
    collective_try(world, [&] {
      if (first && !flags.output.empty()) prepare_text_file("--output", flags.output);
    });
    const Parameters mine = calibrate_in_peace(world, 3);
    if (!first) return;
    if (cores_were_taken(mine)) {
      throw Error(
          ErrorCode::timeout,
          fmt::format("--calibrate: a short message within a node took {:.0f} us, so other "
                      "programs are using the cores; no file was written: calibrate again when "
                      "the machine is idle",
                      mine.within_node->alpha.value * 1e6));
    }
    measured = mine;
    libraries = measured_libraries(environment);
    advise(libraries, world.logger());
    if (path.empty()) path = cached_parameters_path(mine.key, environment).value_or("");
    if (path.empty()) {
      throw Error(ErrorCode::invalid_argument,
                  "--calibrate: neither XDG_CACHE_HOME nor HOME is set: give --output FILE");
    }
    if (flags.output.empty()) {  // the cache folder, which may not exist yet
      std::error_code missed_below;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path(), missed_below);
    }
    write_text_file("--output", path, to_json(mine));
  });
  if (!ranks.speak()) return ExitCode::done;
  if (flags.run.json) {
    auto object = nlohmann::ordered_json::parse(to_json(measured));
    for (const LibraryRate& library : libraries) {
      object["libraries"].push_back({{"name", library.name},
                                     {"flops_per_second", library.flops_per_second},
                                     {"in_use", library.multiplies}});
    }
    object["file"] = path;
    print_json(object);
  } else {
    print_text(to_text(measured) + libraries_text(libraries) +
               fmt::format("written to {}\n", path));
  }
  return ExitCode::done;
}

}  // namespace cuboid::detail::tools
