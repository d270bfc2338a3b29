#include "bindings/scalapack_choice/settings.hpp"

#include <cuboid/error.hpp>

#include "bindings/scalapack_choice/beneath.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace cuboid::detail::scalapack {

namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

/// A program that would run without the drop-in runs with it: what cannot be read turns it off.
Settings read_or_off() noexcept {
  try {
    static_cast<void>(Environment::read(variable));  // so that all ranks fail here or none
    Settings settings = Settings::read(variable);
    if (settings.mode != Settings::Mode::off && has_long_integers())
      throw Error(ErrorCode::unsupported, "a ScaLAPACK with integers of 64 bits is not supported");
    return settings;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuboid-scalapack: %s; the drop-in is off\n", error.what());
    Settings settings;
    settings.mode = Settings::Mode::off;
    return settings;
  }
}

}  // namespace

Settings Settings::read(const Environment::Lookup& lookup) {
  Settings settings;
  const std::string mode = lookup("CUBOID_SCALAPACK").value_or("on");
  if (mode == "off") {
    settings.mode = Mode::off;
  } else if (mode == "force") {
    settings.mode = Mode::force;
    settings.floor_multiplications = 0;
    settings.floor_elements = 0;
  } else if (mode != "on") {
    throw Error(ErrorCode::parse,
                fmt::format("CUBOID_SCALAPACK=\"{}\": give one of off, on, force", mode));
  }
  settings.counts = Environment::read(lookup).log_level >= LogLevel::info;
  return settings;
}

const Settings& settings() {
  static const Settings read = read_or_off();
  return read;
}

}  // namespace cuboid::detail::scalapack
