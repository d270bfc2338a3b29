#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/shape.hpp>

#include "collectives/algorithms/group_cost_model.hpp"

namespace cuboid::detail::smpi {

/// A torus as bench/smpi/run describes it to SimGrid.
struct SimulatedTorus {
  Shape shape;
  double link_bytes_per_second;
  double link_seconds;  ///< latency of one link
};

/// The communicator of all ranks, one on each node, in the order of the nodes. They share what they
/// know of the torus.
Communicator world_on(const SimulatedTorus& torus);

/// What Cuboid's models know of it.
Parameters parameters_of(const SimulatedTorus& torus);

/// The `main` of a simulated program: begins and ends MPI around `body`, and returns its exit code.
/// An error ends all ranks, with its message on standard error.
int run_on_ranks(int argc, char** argv, int (*body)(int argc, char** argv));

}  // namespace cuboid::detail::smpi
