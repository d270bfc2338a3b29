#pragma once

#include <cuboid/environment.hpp>

#include "bindings/dropin/mode.hpp"

#include <cstdint>

namespace cuboid::detail::scalapack {

/// The user's settings in environment variables. The launcher gives all ranks the same.
struct ScalapackSettings {
  using Mode = drop_in::Mode;

  /// CUBOID_SCALAPACK: "off", "on" or "force".
  Mode mode = Mode::on;
  /// Products with fewer multiplications, and moves of fewer elements, are handed on without a
  /// decision.
  std::int64_t floor_multiplications = 4'000'000;
  std::int64_t floor_elements = 100'000;
  /// True if calls are counted for the summary at the end (CUBOID_LOG=info).
  bool counts = false;

  /// Throws Error(parse) for invalid values.
  static ScalapackSettings read(const Environment::Lookup& lookup);
};

/// The settings of this process, read at the first call.
const ScalapackSettings& settings();

/// True if a product of m×n×k multiplications, of which the routine needs one part in `parts`, is
/// handed on without a decision: the drop-in is off, or there is too little to gain.
bool hands_on_product(std::int64_t m, std::int64_t n, std::int64_t k, int parts = 1);
/// The same for a routine that moves m×n elements: true if it is handed on without a decision.
bool hands_on_move(std::int64_t m, std::int64_t n);

}  // namespace cuboid::detail::scalapack
