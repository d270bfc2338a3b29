#include "bindings/scalapack_choice/blacs.hpp"

#include "bindings/scalapack_choice/beneath.hpp"

namespace cuboid::detail::scalapack {

namespace {

using GridInfo = void(int, int*, int*, int*, int*);
using Get = void(int, int, int*);
using SystemHandle = MPI_Comm(int);
using FreeHandle = void(int);

/// The query of Cblacs_get() for the handle of a context's system context.
constexpr int system_context_of_context = 10;

}  // namespace

BlacsGrid grid_of(int context) {
  static auto* const grid_info = beneath<GridInfo>("Cblacs_gridinfo");
  BlacsGrid grid;
  grid_info(context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  return grid;
}

std::optional<MPI_Comm> communicator_of(int context) {
  static auto* const get = reinterpret_cast<Get*>(find_beneath("Cblacs_get"));
  static auto* const handle_to_mpi =
      reinterpret_cast<SystemHandle*>(find_beneath("Cblacs2sys_handle"));
  static auto* const free_handle =
      reinterpret_cast<FreeHandle*>(find_beneath("Cfree_blacs_system_handle"));
  if (get == nullptr || handle_to_mpi == nullptr) return std::nullopt;
  int handle = -1;
  get(context, system_context_of_context, &handle);
  const MPI_Comm communicator = handle_to_mpi(handle);
  if (free_handle != nullptr) free_handle(handle);
  if (communicator == MPI_COMM_NULL) return std::nullopt;
  return communicator;
}

}  // namespace cuboid::detail::scalapack
