#include "topology/machine/local_report.hpp"

#include <cuboid/error.hpp>

#include "topology/machine/kernel_links.hpp"
#include "topology/machine/tofu_coordinate.hpp"
#include "topology/machine/topology_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>

namespace cuboid::detail {

namespace {

std::optional<std::string> process_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

HostIdentity read_identity() {
  HostIdentity identity;
  utsname names{};
  if (uname(&names) == 0) identity.name = names.nodename;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> identity.boot;
  struct stat status {};
  if (stat("/proc/self/ns/net", &status) == 0) identity.network_namespace = status.st_ino;
  return identity;
}

FileReport read_file(const std::string& path) {
  try {
    const TextFile file = read_topology_file(path);
    FileReport report{path, file.text, {}};
    for (const TextFile& one : file.included) report.included.push_back({one.name, one.text, {}});
    return report;
  } catch (const Error& error) {
    return {path, {}, error.what()};
  }
}

/// Reads an optional file. If it is missing, the report says so.
FileReport read_file_if_there(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {path, {}, fmt::format("there is no {}", path)};
  return read_file(path);
}

/// Reads Slurm's file. Like Slurm, it reads a topology.yaml rather than the topology.conf beside
/// it.
FileReport read_slurm_file(const std::string& path) {
  const std::string yaml = std::filesystem::path(path).replace_extension(".yaml");
  std::error_code error;
  return read_file_if_there(std::filesystem::exists(yaml, error) ? yaml : path);
}

std::vector<std::string> infiniband_devices() {
  std::vector<std::string> devices;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/infiniband", error)) {
    devices.push_back(entry.path().filename());
  }
  std::ranges::sort(devices);
  return devices;
}

CoordinateReport report_of(const HandedCoordinate& handed, const char* origin) {
  return {fmt::format("{}", fmt::join(handed.coordinate, ",")),
          handed.shape ? to_string(*handed.shape) : "", origin};
}

CoordinateReport read_coordinate(const Environment& environment, const DiscoveryOptions& options) {
  if (options.coordinate) return report_of(options.coordinate(), "the caller's function");
  if (environment.coordinate) return {*environment.coordinate, {}, "CUBOID_COORDINATE"};
  if (const auto tofu = read_tofu_coordinate(find_loaded_symbol))
    return report_of(*tofu, "Fujitsu's MPI (FJMPI_Topology_get_coords)");
  return {{}, {}, "CUBOID_COORDINATE"};
}

}  // namespace

LocalReport make_local_report(int rank, const Environment& environment,
                              const DiscoveryOptions& options) {
  const Environment::Lookup lookup =
      options.lookup ? options.lookup : Environment::Lookup(process_variable);
  LocalReport report;
  report.host = read_identity();
  report.topology = options.topology.value_or(environment.topology.value_or(""));
  report.topology_origin = options.topology ? options.topology_origin : "CUBOID_TOPOLOGY";
  report.coordinate = read_coordinate(environment, options);
  report.kernel = read_kernel_links();
  report.slurm.address = lookup("SLURM_TOPOLOGY_ADDR").value_or("");
  report.slurm.pattern = lookup("SLURM_TOPOLOGY_ADDR_PATTERN").value_or("");
  report.infiniband.devices = infiniband_devices();
  NodeAndBinding inside = read_node();
  report.node = std::move(inside.node);
  report.binding = std::move(inside.binding);
  if (rank == 0) {
    constexpr std::string_view file_prefix = "file:";
    if (report.topology.starts_with(file_prefix))
      report.file = read_file(report.topology.substr(file_prefix.size()));
    report.slurm.description = read_slurm_file(options.slurm_file);
    report.infiniband.description = read_file_if_there(options.fabric_file);
  }
  return report;
}

}  // namespace cuboid::detail
