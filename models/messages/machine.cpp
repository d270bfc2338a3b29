#include "models/messages/machine.hpp"

#include <cuboid/error.hpp>

#include "base/closest_name.hpp"
#include "models/messages/parameters_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

namespace {

Shape torus(std::vector<int> extents) {
  std::vector<Axis> axes;
  for (const int extent : extents) axes.push_back({extent, true});
  return Shape(std::move(axes));
}

std::vector<Machine> machines_of_the_papers() {
  constexpr double kilo = 1e3, mega = 1e6, giga = 1e9, micro = 1e-6, nano = 1e-9;
  constexpr double gibi = 1 << 30;
  std::vector<Machine> machines;
  machines.push_back({.name = "bgp",
                      .source = "Blue Gene/P (Intrepid), Solomonik et al. 2011, §4.5 and §4.6",
                      .shape = torus({16, 32, 32}),
                      .nodes = 16 * kilo + 384,
                      .between_nodes = log_p(0.8 * micro, 0.4 * micro, 0, 1 / (375 * mega)),
                      .cores_per_node = 4,
                      .flops_per_second = 13.6 * giga,
                      .memory_bytes_per_second = 13.6 * giga,
                      .memory_bytes = 4 * giga});
  machines.push_back(
      {.name = "bgp-hsumma",
       .source = "Blue Gene/P (Shaheen), one rank per core, Quintin et al. 2013, §V-B",
       .nodes = 16 * kilo + 384,
       .between_nodes = log_gp({.alpha = 3 * micro, .beta = 1 * nano}),
       .cores_per_node = 1,
       .flops_per_second = 3.4 * giga,
       .memory_bytes = 1 * giga});
  machines.push_back({.name = "grid5000",
                      .source = "Grid5000 (Graphene), Quintin et al. 2013, §V-A",
                      .nodes = 0,
                      .between_nodes = log_gp({.alpha = 100 * micro, .beta = 1 * nano})});
  machines.push_back({.name = "exascale",
                      .source = "Solomonik et al. 2011, table 1",
                      .shape = torus({64, 64, 64}),
                      .nodes = 262144,
                      .between_nodes = log_p(250 * nano, 250 * nano, 0, 0.06 / giga),
                      .flops_per_second = 1e18 / 262144,
                      .memory_bytes = 32e15 / 262144});
  machines.push_back({.name = "exascale-hsumma",
                      .source = "Quintin et al. 2013, §V-C",
                      .nodes = 1048576,
                      .between_nodes = log_gp({.alpha = 500 * nano, .beta = 1 / (100 * giga)}),
                      .flops_per_second = 1e18 / 1048576});
  machines.push_back(
      {.name = "piz-daint",
       .source =
           "Piz Daint, multicore nodes of two 18-core Xeon E5-2695 v4 at 3.30 GHz "
           "on Cray Aries, Kwasniewski et al. 2019, §8; Aries: 1.3 us, 10.2 GB/s out of a node",
       .nodes = 1813,
       .between_nodes = log_gp({.alpha = 1.3 * micro, .beta = 1 / (10.2 * giga)}),
       .injection_bytes_per_second = 10.2 * giga,
       .cores_per_node = 36,
       .flops_per_second = 36 * 16 * 3.3 * giga,
       .memory_bytes_per_second = 153.6 * giga,
       .memory_bytes = 64 * gibi});
  return machines;
}

}  // namespace

std::span<const Machine> named_machines() {
  static const std::vector<Machine> machines = machines_of_the_papers();
  return machines;
}

const Machine* find_machine(std::string_view name) {
  const auto machines = named_machines();
  const auto found = std::ranges::find(machines, name, &Machine::name);
  return found == machines.end() ? nullptr : &*found;
}

Machine Machine::shared_by(int ranks_on_node) const {
  Machine share = *this;
  const double ranks = ranks_on_node;
  share.flops_per_second /= ranks;
  share.memory_bytes_per_second /= ranks;
  share.memory_bytes /= ranks;
  share.injection_bytes_per_second /= ranks;
  if (share.injection_bytes_per_second > 0) {
    share.between_nodes.byte_gap =
        std::max(share.between_nodes.byte_gap, 1 / share.injection_bytes_per_second);
  }
  return share;
}

namespace {

/// "measured between a, b and 3 more, 8 ranks", or "measured within a, 2 ranks".
std::string where_measured(const Parameters& parameters) {
  const auto& hosts = parameters.key.hosts;
  if (hosts.empty()) return "measured";
  int ranks = 0;
  for (const auto& host : hosts) ranks += host.ranks;
  std::string names = hosts.front().name;
  if (hosts.size() > 1)
    names += hosts.size() > 2 ? fmt::format(", {} and {} more", hosts[1].name, hosts.size() - 2)
                              : fmt::format(" and {}", hosts[1].name);
  return fmt::format("measured {} {}, {} ranks", parameters.between_nodes ? "between" : "within",
                     names, ranks);
}

}  // namespace

Machine machine_of(const Parameters& parameters, std::string name) {
  const auto& message =
      parameters.between_nodes ? parameters.between_nodes : parameters.within_node;
  if (!message) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: neither between_nodes nor within_node was measured: calibrate "
                            "with at least two ranks",
                            name));
  }
  Machine machine{.name = std::move(name),
                  .source = where_measured(parameters),
                  .nodes = static_cast<double>(parameters.key.hosts.size()),
                  .between_nodes = message->log_gp()};
  if (parameters.between_nodes && parameters.hop) machine.hop_seconds = parameters.hop->value;
  if (parameters.within_node) machine.within_node = parameters.within_node->log_gp();
  if (parameters.injection) machine.injection_bytes_per_second = parameters.injection->value;
  if (parameters.burst) machine.burst_bytes = parameters.burst->value;
  if (parameters.incast_loss) machine.incast_loss = parameters.incast_loss->value;
  if (parameters.overlap) machine.overlap = parameters.overlap->value;
  return machine;
}

Machine machine_named(const std::string& name_or_file) {
  if (const Machine* machine = find_machine(name_or_file)) return *machine;
  std::error_code unreadable;  // if this fails, there is no readable file of that name
  if (std::filesystem::exists(name_or_file, unreadable))
    return machine_of(parse_parameters(read_text_file(name_or_file)), name_or_file);
  std::vector<std::string> names;
  for (const Machine& machine : named_machines()) names.push_back(machine.name);
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("unknown parameters '{}'{}: give one of {}, or a file of measured parameters",
                  name_or_file, did_you_mean(name_or_file, names), fmt::join(names, ", ")));
}

}  // namespace cuboid::detail
