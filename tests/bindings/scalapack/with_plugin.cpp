// A program that knows no ScaLAPACK itself and loads a library that does. To be run under the
// drop-in, which must find the ScaLAPACK of that library.
// Usage: bindings_scalapack_with_plugin LIBRARY

#include <cstdio>

#include <dlfcn.h>
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : nullptr;
  void* const found = library == nullptr ? nullptr : dlsym(library, "multiplies_right");
  if (found == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  auto* const multiplies_right = reinterpret_cast<bool (*)(int, int)>(found);
  int wrong = 0;
  for (int time = 0; time < 3; ++time) wrong += multiplies_right(ranks, 240) ? 0 : 1;
  int any = 0;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any == 0 ? 0 : 1;
}
