#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/reduction.hpp>

#include <optional>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// What is combined, and how.
struct Elements {
  Datatype type;
  Reduction reduction;
  /// Whether elements have gaps, which must stay as they are in the program's memory: so copies are
  /// combined (see Operand).
  bool gaps = false;
};

/// How Cuboid combines elements of an MPI datatype by an MPI operation: sums, products, minima,
/// maxima and bitwise operations on numbers itself, all else by MPI_Reduce_local, in the order of
/// the ranks where the operation does not commute. nullopt where the standard does not define the
/// operation for the type, or elements reach into each other. The same on all ranks, as they all
/// pass the same operation and type.
std::optional<Elements> elements_for(MPI_Op op, MPI_Datatype type);

/// Whether the program may free the operation while a request is pending that uses it.
bool is_user_operation(MPI_Op op);

}  // namespace cuboid::detail::drop_in
