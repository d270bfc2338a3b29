// What programs do with BLACS contexts besides calling ScaLAPACK on them, under the drop-in: system
// handles that the program holds, communicators of its own, contexts that end in any order, calls
// after the end of a context and of the BLACS. Returns the number of differences from the native
// ScaLAPACK, at most 99. To be run with CUBOID_SCALAPACK=force.
// Usage: bindings_scalapack_contexts [keep], which leaves the contexts to MPI_Finalize.

#include "error_exits.hpp"
#include "random_parts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

extern "C" {
void Cblacs_pinfo(int* rank, int* ranks);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
int Csys2blacs_handle(MPI_Comm communicator);
MPI_Comm Cblacs2sys_handle(int handle);
void Cfree_blacs_system_handle(int handle);
}

namespace {

/// A context of all processes of a communicator, from a system handle that the caller keeps.
int context_from(int handle, const char* order, int rows, int columns) {
  int context = handle;
  Cblacs_gridinit(&context, order, rows, columns);
  return context;
}

void multiply(const Grid& grid, unsigned seed) {
  if (!grid.has_me()) return;
  Random random(seed);
  const int m = random(1, 30), n = random(1, 30), k = random(1, 30);
  const Part<double> A(random, grid, m, k, seed), B(random, grid, k, n, seed + 1);
  const Part<double> C(random, grid, m, n, seed + 2);
  const double alpha = 1, beta = 0.25;
  on_both_sides<double>(
      described<double>("gemm", grid, m, n, k), C, 8.0 * (k + 1), [&](Side side, double* elements) {
        routine<Gemm<double>, double>(side, "gemm")(
            "N", "N", &m, &n, &k, &alpha, A.elements.data(), &A.i, &A.j, A.descriptor.data(),
            B.elements.data(), &B.i, &B.j, B.descriptor.data(), &beta, elements, &C.i, &C.j,
            C.descriptor.data());
      });
}

/// The handle of a context's communicator, which the program may have asked for before Cuboid does,
/// names the same communicator after a call, and contexts can be made of it.
void handles_stay(int ranks) {
  const Grid grid(1, ranks, numbers(0, ranks));
  constexpr int system_context_of_context = 10;
  int handle = -1;
  Cblacs_get(grid.context, system_context_of_context, &handle);
  const MPI_Comm communicator = Cblacs2sys_handle(handle);
  multiply(grid, 10);
  if (Cblacs2sys_handle(handle) != communicator) differ("the handle of a context's communicator");
  multiply(Grid(context_from(handle, "Col", ranks, 1)), 20);
  Cfree_blacs_system_handle(handle);
}

/// Handles that the drop-in itself asks for are given back.
void handles_are_given_back(int ranks) {
  const auto next_handle = [] {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    const int handle = Csys2blacs_handle(communicator);
    Cfree_blacs_system_handle(handle);
    MPI_Comm_free(&communicator);
    return handle;
  };
  const Grid grid(ranks, 1, numbers(0, ranks));
  const int before = next_handle();
  multiply(grid, 30);
  if (next_handle() != before) differ("the number of handles in use");
}

/// Contexts of communicators that the program has made and frees before or after the contexts.
void own_communicators(int ranks) {
  for (int time = 0; time < 6; ++time) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
    int here = 0;
    MPI_Comm_size(half, &here);
    const int handle = Csys2blacs_handle(half);
    auto grid =
        std::make_unique<Grid>(context_from(handle, time % 3 == 0 ? "Row" : "Col", here, 1));
    Cfree_blacs_system_handle(handle);
    if (time % 2 == 0) MPI_Comm_free(&half);
    const Grid all(1, ranks, numbers(0, ranks));
    multiply(*grid, 40 + static_cast<unsigned>(10 * time));
    multiply(all, 100 + static_cast<unsigned>(10 * time));
    grid.reset();
    multiply(all, 200 + static_cast<unsigned>(10 * time));
    if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
  }
}

/// A call on a context that has ended is an error, and a new context may have its number.
void ended_contexts(int ranks) {
  for (unsigned time = 0; time < 4; ++time) {
    auto grid = std::make_unique<Grid>(1, ranks, numbers(0, ranks));
    Random random(time);
    const int n = 12;
    const Part<double> A(random, *grid, n, n, time), C(random, *grid, n, n, time + 1);
    multiply(*grid, 300 + time);
    grid.reset();
    const double alpha = 1, beta = 0;
    on_both_sides<double>("pdgemm on an ended context", C, 0, [&](Side side, double* elements) {
      routine<Gemm<double>, double>(side, "gemm")(
          "N", "N", &n, &n, &n, &alpha, A.elements.data(), &A.i, &A.j, A.descriptor.data(),
          A.elements.data(), &A.i, &A.j, A.descriptor.data(), &beta, elements, &C.i, &C.j,
          C.descriptor.data());
    });
  }
}

/// After blacs_exit the BLACS may begin again; contexts that are left over end with it.
void begin_again(int ranks) {
  for (unsigned time = 0; time < 3; ++time) {
    int rank = 0, size = 0;
    Cblacs_pinfo(&rank, &size);
    auto* const left_over = new Grid(1, ranks, numbers(0, ranks));
    multiply(*left_over, 400 + time);
    Cblacs_exit(1);
    left_over->forget();
    delete left_over;
  }
  int rank = 0, size = 0;
  Cblacs_pinfo(&rank, &size);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  handles_stay(ranks);
  handles_are_given_back(ranks);
  own_communicators(ranks);
  ended_contexts(ranks);
  begin_again(ranks);
  Grid last(1, ranks, numbers(0, ranks));
  multiply(last, 500);
  int all_differences = 0;
  MPI_Allreduce(&differences, &all_differences, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const bool keep = argc > 1 && std::string(argv[1]) == "keep";
  last.forget();
  if (!keep) Cblacs_exit(1);
  MPI_Finalize();
  return std::min(all_differences, 99);
}
