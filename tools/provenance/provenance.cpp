#include "tools/provenance/provenance.hpp"

#include <cuboid/error.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/version.hpp>

#include "base/counted.hpp"
#include "base/host_name.hpp"
#include "base/page_text.hpp"
#include "base/shared_library.hpp"
#include "collectives/bootstrap/mpi_status.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/transport/carrier_versions.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "tools/provenance/build.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// This process's command line, its arguments separated by blanks.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.empty()) text.pop_back();
  for (char& c : text)
    if (c == '\0') c = ' ';
  return text;
}

/// The library that `open` finds, or why it finds none.
template <class Open>
std::string library(const Open& open) {
  try {
    return open().library();
  } catch (const Error& error) {
    return fmt::format("none: {}", error.what());
  }
}

/// "12.4: 2 devices, NVIDIA H200", or why there are none.
std::string devices_text(const DevicesHere& here) {
  if (here.devices.empty()) return fmt::format("none: {}", here.reason);
  return fmt::format("{}: {}, {}", here.cuda, counted(here.devices.size(), "device"),
                     here.devices.front().name);
}

struct Noted {
  std::int64_t ranks = 0;
  std::string network;
  std::string parameters;
};

/// What this process has noted; its actions run one after the other.
Noted& noted() {
  static Noted one;
  return one;
}

}  // namespace

void note_ranks(const Communicator& world) {
  const auto& parameters = world.state().parameters;
  noted() = {world.size(), network_text(world), parameters ? parameters->file : ""};
}

void note_modelled(std::int64_t ranks, std::string network) {
  noted().ranks = ranks;
  noted().network = std::move(network);
}

void note_parameters(std::string name_or_file) {
  noted().parameters = std::move(name_or_file);
}

std::string network_text(const Communicator& world) {
  const GroupNodes& nodes = world.state().cost_model.nodes;
  if (nodes.nodes() == 1) return "one node";
  return nodes.shape ? nodes.shape->to_string() : fmt::format("{} nodes", nodes.nodes());
}

nlohmann::ordered_json provenance() {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
  };
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return {{"cuboid", CUBOID_VERSION},
          {"commit", or_null(build().commit)},
          {"host", host_name()},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
          {"command", command_line()},
          {"ranks", noted().ranks > 0 ? nlohmann::ordered_json(noted().ranks) : nullptr},
          {"network", or_null(noted().network)},
          {"mpi", mpi_version()},
          {"ucx", or_null(ucx_version())},
          {"parameters", or_null(noted().parameters)}};
}

std::string provenance_lines(std::string_view before) {
  std::string text;
  const auto made = provenance();
  for (const auto& [name, value] : made.items()) {
    if (value.is_null()) continue;
    std::string line = value.is_string() ? value.get<std::string>() : value.dump();
    std::ranges::replace(line, '\n', ' ');
    text += fmt::format("{}{}: {}\n", before, name, line);
  }
  return text;
}

std::string version_text(const Environment& environment) {
  const auto [commit, compiler, hdf5] = build();
  std::string text = fmt::format("cuboid {}{}\n", CUBOID_VERSION,
                                 commit.empty() ? "" : fmt::format(" (commit {})", commit));
  constexpr std::size_t name_width = 10;
  const auto line = [&](std::string_view what, const std::string& is) {
    text += folded(fmt::format("{:<{}}{}\n", what, name_width, is), name_width);
  };
  line("compiler", compiler);
  line("MPI", mpi_version());
  line("UCX", ucx_version().empty() ? "none: built without it" : ucx_version());
  line("BLAS", library([&] { return LocalGemm::open(environment, 1); }));
  line("CUDA", devices_text(devices_here(environment)));
  line("LAPACK", library([&] { return LocalLapack::open(environment, 1); }));
  line("HDF5",
       hdf5.empty() ? "none: built without it" : environment.hdf5.value_or(present_library(hdf5)));
  return text;
}

}  // namespace cuboid::detail::tools
