#include "bindings/scalapack/calls/settings.hpp"

#include <cuboid/error.hpp>

#include "bindings/scalapack/calls/native.hpp"

namespace cuboid::detail::scalapack {

ScalapackSettings ScalapackSettings::read(const Environment::Lookup& lookup) {
  ScalapackSettings settings;
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

const ScalapackSettings& settings() {
  static const ScalapackSettings read = drop_in::read_or_off<ScalapackSettings>("cuboid-scalapack");
  return read;
}

bool hands_on_product(std::int64_t m, std::int64_t n, std::int64_t k, int parts) {
  const ScalapackSettings& said = settings();
  if (said.mode == ScalapackSettings::Mode::off || m < 1 || n < 1 || k < 1) return true;
  return m * n < parts * said.floor_multiplications / k;
}

bool hands_on_move(std::int64_t m, std::int64_t n) {
  const ScalapackSettings& said = settings();
  return said.mode == ScalapackSettings::Mode::off || m < 1 || n < 1 || m * n < said.floor_elements;
}

}  // namespace cuboid::detail::scalapack
