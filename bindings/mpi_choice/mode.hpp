#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace cuboid::detail::drop_in {

/// What a drop-in does with calls, as the user says.
enum class Mode {
  off,    ///< everything goes on to the library beneath
  on,     ///< what is quicker so is taken over
  force,  ///< all that can be served is, quicker or not: for tests
};

/// Of the variable of that name; `on` where it is not set. Throws Error(parse).
inline Mode read_mode(const Environment::Lookup& lookup, const char* variable) {
  const std::string text = lookup(variable).value_or("on");
  if (text == "off") return Mode::off;
  if (text == "on") return Mode::on;
  if (text == "force") return Mode::force;
  throw Error(ErrorCode::parse,
              fmt::format("{}=\"{}\": give one of off, on, force", variable, text));
}

/// A variable of the process's environment; nullopt where it is not set, or empty.
inline std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

/// Told before MPI is initialised, as launchers say it; true where none does.
inline bool is_rank_0() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const auto rank = variable(name)) return *rank == "0";
  }
  return true;
}

/// What Settings::read() says of this process. A program that would run without the drop-in runs
/// with it: what cannot be read turns it off.
template <class Settings>
Settings read_or_off(const char* drop_in) noexcept {
  try {
    static_cast<void>(Environment::read(variable));  // so that all ranks fail here or none
    return Settings::read(variable);
  } catch (const std::exception& error) {
    if (is_rank_0()) std::fprintf(stderr, "%s: %s; the drop-in is off\n", drop_in, error.what());
    Settings settings;
    settings.mode = Mode::off;
    return settings;
  }
}

}  // namespace cuboid::detail::drop_in
