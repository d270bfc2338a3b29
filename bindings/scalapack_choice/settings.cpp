#include "bindings/scalapack_choice/settings.hpp"

#include <cuboid/error.hpp>

#include "bindings/scalapack_choice/beneath.hpp"

namespace cuboid::detail::scalapack {

Settings Settings::read(const Environment::Lookup& lookup) {
  Settings settings;
  settings.mode = drop_in::read_mode(lookup, "CUBOID_SCALAPACK");
  if (settings.mode == Mode::force) {
    settings.floor_multiplications = 0;
    settings.floor_elements = 0;
  }
  settings.counts = Environment::read(lookup).log_level >= LogLevel::info;
  if (settings.mode != Mode::off && has_long_integers())
    throw Error(ErrorCode::unsupported,
                "a ScaLAPACK with 64-bit integers is not supported: link one with 32-bit integers");
  return settings;
}

const Settings& settings() {
  static const Settings read = drop_in::read_or_off<Settings>("cuboid-scalapack");
  return read;
}

}  // namespace cuboid::detail::scalapack
