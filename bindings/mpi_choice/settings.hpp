#pragma once

#include <cuboid/environment.hpp>

#include "bindings/mpi_choice/called.hpp"
#include "bindings/mpi_choice/mode.hpp"

#include <bitset>
#include <cstddef>

namespace cuboid::detail::drop_in {

/// The user's settings in environment variables. The launcher gives all ranks the same.
struct Settings {
  using Mode = drop_in::Mode;

  /// CUBOID_MPI: "off", "on" or "force".
  Mode mode = Mode::on;
  /// CUBOID_MPI_OPERATIONS: the collectives that may be taken over, e.g. "bcast,allreduce"; not
  /// set: all.
  std::bitset<calls_in_all> operations = std::bitset<calls_in_all>().set();
  /// Calls of fewer bytes are handed on without a decision.
  std::size_t floor_bytes = 4096;
  /// True if calls are counted for the summary at the end (CUBOID_LOG=info).
  bool counts = false;

  bool force() const { return mode == Mode::force; }

  static Settings read(const Environment::Lookup& lookup);
};

/// The settings of this process, read at the first call.
const Settings& settings();

}  // namespace cuboid::detail::drop_in
