#include "tools/machine/machine_flag.hpp"

#include <cuboid/error.hpp>

#include <fmt/format.h>

namespace cuboid::detail::tools {

Machine machine_from_flag(const std::string& text) {
  try {
    return machine_named(text);
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--parameters: {}", error.what()));
  }
}

std::string machine_names() {
  std::string names;
  for (const Machine& machine : named_machines())
    names += (names.empty() ? "" : ", ") + machine.name;
  return names;
}

}  // namespace cuboid::detail::tools
