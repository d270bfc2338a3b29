#pragma once

#include <cuboid/environment.hpp>

#include "bindings/dropin/called.hpp"
#include "bindings/dropin/mode.hpp"

#include <array>
#include <cstddef>
#include <limits>

namespace cuboid::detail::drop_in {

constexpr std::array<std::size_t, calls_in_all> filled_with(std::size_t bytes) {
  std::array<std::size_t, calls_in_all> all = {};
  all.fill(bytes);
  return all;
}

/// The user's settings in environment variables. The launcher must give all ranks the same.
struct MpiSettings {
  using Mode = drop_in::Mode;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// CUBOID_MPI: "off", "on" or "force".
  Mode mode = Mode::on;
  /// For each collective, the fewest bytes of a call for which a decision pays; `none` if it must
  /// not be taken over (by CUBOID_MPI and CUBOID_MPI_OPERATIONS).
  std::array<std::size_t, calls_in_all> least_bytes = filled_with(none);
  /// True if calls are counted for the summary at the end (CUBOID_LOG=info).
  bool counts = false;

  bool force() const { return mode == Mode::force; }
  std::size_t least(Called called) const { return least_bytes[static_cast<std::size_t>(called)]; }

  static MpiSettings read(const Environment::Lookup& lookup);
};

/// The settings of this process, read at the first call. Every call of the program looks at them.
inline const MpiSettings& settings() {
  static const MpiSettings read = read_or_off<MpiSettings>("cuboid-mpi");
  return read;
}

}  // namespace cuboid::detail::drop_in
