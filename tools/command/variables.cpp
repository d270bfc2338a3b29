#include "tools/command/variables.hpp"

#include <cuboid/error.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/local_lapack.hpp>

#include "base/closest_name.hpp"
#include "base/text_file.hpp"
#include "collectives/selection/algorithm_rules.hpp"
#include "models/messages/parameters_file.hpp"
#include "topology/discovery/discover_from.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail::tools {

namespace {

/// Adds the variable's name to errors about a file, which do not contain it.
template <class Read>
void naming(const char* variable, const std::string& value, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}={}: {}", variable, in_quotes(value), error.what()));
  }
}

/// All that Cuboid reads, its drop-ins and the command included.
const std::vector<std::string> known_variables = {
    "CUBOID_ALGORITHM",     "CUBOID_BLAS",         "CUBOID_CHECK",      "CUBOID_COORDINATE",
    "CUBOID_CUBLAS",        "CUBOID_CUDA",         "CUBOID_CUSOLVER",   "CUBOID_DEVICE",
    "CUBOID_DEVICE_MEMORY", "CUBOID_HDF5",         "CUBOID_LAPACK",     "CUBOID_LOG",
    "CUBOID_MPI",           "CUBOID_NVRTC",        "CUBOID_PARAMETERS", "CUBOID_MPI_OPERATIONS",
    "CUBOID_PROGRESS",      "CUBOID_PROGRESS_BAR", "CUBOID_SCALAPACK",  "CUBOID_TIMEOUT",
    "CUBOID_TOPOLOGY",      "CUBOID_TRANSPORT"};

void warn_of_unknown_variables(const Logger& logger) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (!text.starts_with("CUBOID_")) continue;
    const std::string name(text.substr(0, text.find('=')));
    if (std::ranges::count(known_variables, name) > 0) continue;
    const std::string like = did_you_mean(name, known_variables);
    if (!like.empty()) logger.warn(fmt::format("{}: Cuboid reads no such variable{}", name, like));
  }
}

/// The command's own variable: the library does not read it.
void check_progress_bar() {
  const char* const value = std::getenv("CUBOID_PROGRESS_BAR");
  if (value == nullptr ||
      std::ranges::count(std::array<std::string_view, 3>{"auto", "on", "off"}, value) > 0)
    return;
  throw Error(ErrorCode::parse,
              fmt::format("CUBOID_PROGRESS_BAR={}: give one of auto, on, off", in_quotes(value)));
}

}  // namespace

void check_named_by_variables(const Environment& environment, bool first) {
  if (first) warn_of_unknown_variables(Logger(environment.log_level, 0));
  check_progress_bar();
  check_variables(environment);
  if (environment.algorithm) AlgorithmRules::parse(*environment.algorithm, "CUBOID_ALGORITHM");
  if (environment.blas) {
    Environment of_cores = environment;
    of_cores.device_use = DeviceUse::never;
    of_cores.devices.clear();
    naming("CUBOID_BLAS", *environment.blas, [&] { LocalGemm::open(of_cores, 1); });
  }
  if (environment.lapack)
    naming("CUBOID_LAPACK", *environment.lapack, [&] { LocalLapack::open(environment, 1); });
  if (first && environment.parameters && *environment.parameters != "none") {
    naming("CUBOID_PARAMETERS", *environment.parameters,
           [&] { parse_parameters(read_text_file(*environment.parameters)); });
  }
}

}  // namespace cuboid::detail::tools
