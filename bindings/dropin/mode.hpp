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

/// The mode of a drop-in, as the user sets it.
enum class Mode {
  off,    ///< all calls are handed on to the native library
  on,     ///< a call is taken over if Cuboid is faster
  force,  ///< all calls that Cuboid can serve are taken over, faster or not: for tests
};

/// The mode that an environment variable states; `on` if it is not set. Throws Error(parse).
inline Mode read_mode(const Environment::Lookup& lookup, const char* variable) {
  const std::string text = lookup(variable).value_or("on");
  if (text == "off") return Mode::off;
  if (text == "on") return Mode::on;
  if (text == "force") return Mode::force;
  throw Error(ErrorCode::parse,
              fmt::format("{}=\"{}\": give one of off, on, force", variable, text));
}

/// The value of a variable in the process's environment; nullopt if it is not set or empty.
inline std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

/// True on rank 0, as the launcher's variables state it before MPI is initialised. True if no
/// launcher states a rank.
inline bool is_rank_0() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const auto rank = variable(name)) return *rank == "0";
  }
  return true;
}

/// The result of Settings::read() for this process. Invalid values turn the drop-in off, so a
/// program that runs without the drop-in runs with it, too.
template <class Settings>
Settings read_or_off(const char* drop_in) noexcept {
  try {
    static_cast<void>(Environment::read(variable));  // a wrong value fails on all ranks or on none
    return Settings::read(variable);
  } catch (const std::exception& error) {
    if (is_rank_0()) std::fprintf(stderr, "%s: %s; the drop-in is off\n", drop_in, error.what());
    Settings settings;
    settings.mode = Mode::off;
    return settings;
  }
}

}  // namespace cuboid::detail::drop_in
