#pragma once

#include <optional>

#include <mpi.h>

namespace cuboid::detail::scalapack {

/// A BLACS grid as one process sees it; rows and columns are -1 where the process has no part in it
/// or there is none.
struct BlacsGrid {
  int rows = -1;
  int columns = -1;
  int row = -1;
  int column = -1;

  bool has_this_process() const {
    return rows > 0 && columns > 0 && row >= 0 && row < rows && column >= 0 && column < columns;
  }
};

/// Of a context, by the BLACS that the program has. Not collective; takes no memory.
BlacsGrid grid_of(int context);

/// The communicator of all processes of a context, which belongs to the BLACS and goes with the
/// context; nullopt where the BLACS does not tell.
std::optional<MPI_Comm> communicator_of(int context);

}  // namespace cuboid::detail::scalapack
