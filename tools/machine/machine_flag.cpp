#include "tools/machine/machine_flag.hpp"

#include <cuboid/error.hpp>

#include "base/host_name.hpp"
#include "collectives/communicator/measured_parameters.hpp"
#include "tools/output/flag_values.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

Machine machine_from_flag(const std::string& text) {
  try {
    return machine_named(text);
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--parameters: {}", error.what()));
  }
}

std::string default_parameters(const Environment& environment, const std::string& otherwise) {
  if (environment.parameters)
    return *environment.parameters == "none" ? otherwise : *environment.parameters;
  return newest_cached_parameters(host_name(), environment).value_or(otherwise);
}

void declare_parameters_flag(CLI::App& command, std::string& parameters,
                             std::string_view otherwise) {
  command.add_option("--parameters", parameters,
                     fmt::format("Machine ({}) or file of measured parameters (default: this "
                                 "machine's if `cuboid bench --calibrate` has measured it, else "
                                 "{})",
                                 machine_names(), otherwise));
}

std::string machine_names() {
  std::string names;
  for (const Machine& machine : named_machines())
    names += (names.empty() ? "" : ", ") + machine.name;
  return names;
}

std::int64_t checked_extent(const char* flag, std::int64_t extent) {
  constexpr std::int64_t longest = std::int64_t{1} << 31;
  if (extent < 1 || extent > longest)
    refuse(fmt::format("{} {}: give 1 to {}", flag, extent, longest));
  return extent;
}

}  // namespace cuboid::detail::tools
