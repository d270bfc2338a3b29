// What a call costs that the drop-in hands on: nanoseconds of cuboid_pdgemm_ over an empty pdgemm_.
// This program is its own ScaLAPACK, so the time is the drop-in's alone.
// Run: mpirun -n 2 PROGRAM
// waits, in this file: what is measured waits, and a person sees it measured

#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include <mpi.h>

using Gemm = void(const char*, const char*, const int*, const int*, const int*, const double*,
                  const double*, const int*, const int*, const int*, const double*, const int*,
                  const int*, const int*, const double*, double*, const int*, const int*,
                  const int*);

namespace {

using Clock = std::chrono::steady_clock;
int rank = 0, ranks = 1;
Clock::duration taken{};  ///< by a call of the native ScaLAPACK
int carried = 0;          ///< calls that reached it

}  // namespace

// The native ScaLAPACK: one row of all ranks.
extern "C" {
Gemm pdgemm_, cuboid_pdgemm_;
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*) {
  ++carried;
  if (taken != Clock::duration::zero()) std::this_thread::sleep_for(taken);
}
void Cblacs_gridinfo(int, int* rows, int* columns, int* row, int* column) {
  *rows = 1;
  *columns = ranks;
  *row = 0;
  *column = rank;
}
void Cblacs_get(int, int, int* value) {
  *value = 0;
}
MPI_Comm Cblacs2sys_handle(int) {
  return MPI_COMM_WORLD;
}
}

namespace {

/// What decides where a call ends.
struct Kind {
  const char* name;
  int order;
  bool shares_memory = false;
};

/// A product of square matrices in blocks of 64; their elements are never looked at.
void call(Gemm* gemm, const Kind& kind) {
  const int order = kind.order;
  const int one = 1;
  const double unit = 1, nothing = 0;
  const std::array<int, 9> descriptor = {1, 0, order, order, 64, 64, 0, 0, order};
  const int* const all = descriptor.data();
  static std::array<double, 3> elements;
  double* const A = &elements[0];
  const double* const B = &elements[1];
  double* const C = kind.shares_memory ? A : &elements[2];
  gemm("N", "N", &order, &order, &order, &unit, A, &one, &one, all, B, &one, &one, all, &nothing, C,
       &one, &one, all);
}

double nanoseconds_of(Gemm* gemm, const Kind& kind) {
  constexpr int calls = 1'000'000;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = Clock::now();
  for (int number = 0; number < calls; ++number) call(gemm, kind);
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / calls;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Kind tiny = {"below the limit", 8}, decided = {"decided", 512};
  const Kind shared = {"arguments share memory", 1024, true};
  // A call long enough that the drop-in looks for something quicker, then calls of no time, which
  // nothing beats. Calls that Cuboid refuses are at first tried with each.
  taken = std::chrono::milliseconds(60);
  call(&cuboid_pdgemm_, decided);
  taken = std::chrono::milliseconds(10);
  for (int number = 0; number < 20; ++number) call(&cuboid_pdgemm_, shared);
  taken = {};
  for (int number = 0; number < 20; ++number) call(&cuboid_pdgemm_, decided);
  carried = 0;
  for (const Kind& kind : {tiny, decided, shared}) {
    const double alone = nanoseconds_of(&pdgemm_, kind);
    const double handed_on = nanoseconds_of(&cuboid_pdgemm_, kind);
    if (rank == 0)
      std::printf("%s (%d^3): %.0f ns more than the %.1f ns of an empty call\n", kind.name,
                  kind.order, handed_on - alone, alone);
  }
  const bool all_came = carried == 6'000'000;
  if (!all_came) std::fprintf(stderr, "rank %d: some calls were not handed on\n", rank);
  MPI_Finalize();
  return all_came ? 0 : 1;
}
