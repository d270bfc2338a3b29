#include "bindings/scalapack/calls/blacs.hpp"

#include "bindings/scalapack/calls/native.hpp"

namespace cuboid::detail::scalapack {

namespace {

using GridInfo = void(int, int*, int*, int*, int*);
using Get = void(int, int, int*);
using SystemHandle = MPI_Comm(int);
using NewHandle = int(MPI_Comm);
using FreeHandle = void(int);

/// The query by which Cblacs_get() returns the handle of a context's system context.
constexpr int system_context_of_context = 10;

/// Frees a handle; nullptr if the BLACS does not provide it.
FreeHandle* handle_releaser() {
  static auto* const found =
      reinterpret_cast<FreeHandle*>(find_native("Cfree_blacs_system_handle"));
  return found;
}

/// The handle that the BLACS would give to a communicator that has none yet; nullopt if the BLACS
/// does not provide it.
std::optional<int> next_handle() {
  static auto* const new_handle = reinterpret_cast<NewHandle*>(find_native("Csys2blacs_handle"));
  FreeHandle* const free_handle = handle_releaser();
  if (new_handle == nullptr || free_handle == nullptr) return std::nullopt;
  MPI_Comm unknown = MPI_COMM_NULL;
  // waits: for nobody, it is this rank's alone
  if (PMPI_Comm_dup(MPI_COMM_SELF, &unknown) != MPI_SUCCESS) return std::nullopt;
  const int handle = new_handle(unknown);
  free_handle(handle);
  // waits: for nobody, it is this rank's alone
  PMPI_Comm_free(&unknown);
  return handle;
}

}  // namespace

BlacsGrid grid_of(int context) {
  static auto* const grid_info = native<GridInfo>("Cblacs_gridinfo");
  BlacsGrid grid;
  grid_info(context, &grid.rows, &grid.columns, &grid.row, &grid.column);
  return grid;
}

std::optional<MPI_Comm> communicator_of(int context) {
  static auto* const get = reinterpret_cast<Get*>(find_native("Cblacs_get"));
  static auto* const handle_to_mpi =
      reinterpret_cast<SystemHandle*>(find_native("Cblacs2sys_handle"));
  if (get == nullptr || handle_to_mpi == nullptr) return std::nullopt;
  const std::optional<int> next = next_handle();
  int handle = -1;
  get(context, system_context_of_context, &handle);
  const MPI_Comm communicator = handle_to_mpi(handle);
  // Any other handle existed before: the program owns it.
  if (next == handle) handle_releaser()(handle);
  if (communicator == MPI_COMM_NULL) return std::nullopt;
  return communicator;
}

}  // namespace cuboid::detail::scalapack
