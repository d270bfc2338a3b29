#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/shape.hpp>

#include "collectives/evaluation/group_cost_model.hpp"

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

/// The torus that the first arguments of a simulated program tell: SHAPE BYTES_PER_SECOND LATENCY.
SimulatedTorus torus_of(int argc, char** argv);
inline constexpr int arguments_of_torus = 3;

/// Waits for all ranks. All go on at the same simulated time. SimGrid does this without messages,
/// which thousands of ranks would need many of. Collective.
void meet();

/// What a simulated program does on every rank, between MPI's beginning and its end; each program
/// defines it. Returns the exit code. An error ends all ranks, with its message on standard error.
int run(int argc, char** argv);

}  // namespace cuboid::detail::smpi
