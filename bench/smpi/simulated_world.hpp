#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/shape.hpp>

#include "collectives/algorithms/group_cost_model.hpp"

namespace cuboid::detail::smpi {

/// A torus with the parameters that bench/smpi/run passes to SimGrid.
struct SimulatedTorus {
  Shape shape;
  double link_bytes_per_second;
  double link_seconds;  ///< latency of one link
};

/// The communicator of all ranks, one on each node, in the order of the nodes. The ranks share one
/// description of the torus.
Communicator world_on(const SimulatedTorus& torus);

/// The parameters of the torus for Cuboid's models.
Parameters parameters_of(const SimulatedTorus& torus);

/// The `main` of a simulated program: begins and ends MPI around `body`, and returns its exit code.
/// An error ends all ranks, with its message on standard error.
int run_on_ranks(int argc, char** argv, int (*body)(int argc, char** argv));

}  // namespace cuboid::detail::smpi
