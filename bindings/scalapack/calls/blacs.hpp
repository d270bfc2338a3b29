#pragma once

#include <optional>

#include <mpi.h>

namespace cuboid::detail::scalapack {

/// A BLACS grid as one process sees it; its row and column are -1 if the process is not in the grid
/// or there is no grid.
struct BlacsGrid {
  int rows = -1;
  int columns = -1;
  int row = -1;
  int column = -1;

  bool has_this_process() const {
    return rows > 0 && columns > 0 && row >= 0 && row < rows && column >= 0 && column < columns;
  }
};

/// The grid of a context, from the program's BLACS. Not collective; needs no memory.
BlacsGrid grid_of(int context);

/// The communicator of all processes of a context. The BLACS owns it and frees it with the context.
/// nullopt if the BLACS does not provide it.
std::optional<MPI_Comm> communicator_of(int context);

}  // namespace cuboid::detail::scalapack
