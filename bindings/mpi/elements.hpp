#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/reduction.hpp>

#include <optional>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// An element type, and the operation that combines elements.
struct Elements {
  Datatype type;
  Reduction reduction;
  /// True if elements have gaps. Gaps in the program's memory must not change, so copies are
  /// combined (see ReductionOperand).
  bool gaps = false;
};

/// How Cuboid combines elements of an MPI datatype by an MPI operation. Cuboid itself computes
/// sums, products, minima, maxima and bitwise operations on numbers. MPI_Reduce_local combines all
/// other elements, in the order of the ranks if the operation does not commute. nullopt if the
/// standard does not define the operation for the type, or if elements overlap. The result is the
/// same on all ranks, because all pass the same operation and type.
std::optional<Elements> elements_for(MPI_Op op, MPI_Datatype type);

/// True if the program may free the operation while a pending request uses it.
bool is_user_operation(MPI_Op op);

}  // namespace cuboid::detail::drop_in
