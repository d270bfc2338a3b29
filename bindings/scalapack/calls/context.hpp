#pragma once

#include <cuboid/grid_shape.hpp>

#include "bindings/dropin/communicator_record.hpp"
#include "bindings/scalapack/calls/blacs.hpp"
#include "bindings/scalapack/calls/choices.hpp"
#include "bindings/scalapack/calls/multiplication_plan_cache.hpp"

#include <memory>

#include <mpi.h>

namespace cuboid::detail::scalapack {

/// A BLACS context whose ranks have made calls that are long enough for a decision. It is an
/// attribute of the context's communicator and is deleted with it, however the context ends.
struct Context {
  MPI_Comm communicator = MPI_COMM_NULL;
  BlacsGrid grid;
  GridShape ranks;  ///< ranks of the communicator, by their places on the grid
  drop_in::CommunicatorRecord* record = nullptr;
  std::shared_ptr<Choices> choices;
  MultiplicationPlanCache plans;

  const Communicator& ours() const { return *record->ours; }
};

/// The record of a context that this process belongs to; nullptr if Cuboid cannot serve it.
/// Collective over the context's processes at the first call.
Context* context_of(int number, const BlacsGrid& grid);

}  // namespace cuboid::detail::scalapack
