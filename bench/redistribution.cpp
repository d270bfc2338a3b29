// Cuboid's redistribution and ScaLAPACK's pdgemr2d and pdtran, in alternation on the same matrices.
// Prints median times as JSON.
// Run: mpirun -n RANKS bench_redistribution N [FROM [TO [REPEATS [CONTENDER]]]]
// CONTENDER, one of the printed names, runs alone; this serves to count the bytes on the cables.
// First an N×N matrix is redistributed from blocks of FROM on a P×Q grid to blocks of TO on a Q×P
// grid; then it is transposed from blocks of FROM to blocks of FROM on the P×Q grid.
// waits, in this file: what is measured waits, and a person sees it measured

#include <cuboid/collectives.hpp>
#include <cuboid/mpi.hpp>
#include <cuboid/redistribute.hpp>

#include "base/statistics.hpp"
#include "bench/scalapack.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>

extern "C" {
void Cpdgemr2d(int m, int n, double* A, int row_a, int column_a, int* descriptor_a, double* B,
               int row_b, int column_b, int* descriptor_b, int context);
void pdtran_(const int* m, const int* n, const double* alpha, const double* A, const int* row_a,
             const int* column_a, const int* descriptor_a, const double* beta, double* C,
             const int* row_c, const int* column_c, const int* descriptor_c);
}

namespace {

using cuboid::Op;

/// The times of one contender.
struct Turns {
  const char* name;
  std::vector<double> seconds = {};

  template <class Run>
  void take(const Run& run) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    run();
    MPI_Barrier(MPI_COMM_WORLD);
    seconds.push_back(MPI_Wtime() - start);
  }
  /// The median time without the first run, which is a warm-up.
  double median() const { return cuboid::detail::median({seconds.begin() + 1, seconds.end()}); }
};

/// The same matrix for ScaLAPACK and for Cuboid.
struct BothMatrix {
  BlacsMatrix theirs;
  cuboid::Matrix<double> ours;

  BothMatrix(const cuboid::Communicator& communicator, const ScalapackGrid& grid, int n, int block)
      : theirs(grid, n, n, block),
        ours(cuboid::Matrix<double>::wrap(
            communicator,
            cuboid::Layout::block_cyclic(n, n, block, block,
                                         cuboid::GridShape(grid.rows, grid.columns)),
            theirs.elements.data(), theirs.local_rows)) {}
};

/// The number of elements that differ from those of a random matrix, or of its transpose.
long wrong_elements(const cuboid::Communicator& communicator, const cuboid::Matrix<double>& right,
                    const cuboid::Matrix<double>& result, Op op) {
  cuboid::Matrix<double> expected(communicator, result.layout());
  cuboid::redistribute(op, right, expected);
  long wrong = 0;
  for (std::int64_t j = 0; j < result.local_columns(); ++j) {
    for (std::int64_t i = 0; i < result.local_rows(); ++i)
      wrong += expected.local()(i, j) != result.local()(i, j);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const cuboid::MpiSession session;
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_redistribution N [FROM [TO [REPEATS]]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const auto argument = [&](int place, int otherwise) {
    return argc > place ? std::atoi(argv[place]) : otherwise;
  };
  const int n = argument(1, 0), from = argument(2, 64), to = argument(3, 64);
  const int repeats = argument(4, 5);
  const cuboid::Communicator communicator(cuboid::mpi_bootstrap(MPI_COMM_WORLD));
  const int ranks = communicator.size();
  const int shorter = largest_divisor(ranks, static_cast<int>(std::sqrt(ranks)));
  const ScalapackGrid grid(shorter, ranks / shorter), other_grid(ranks / shorter, shorter);
  BothMatrix A(communicator, grid, n, from), B(communicator, other_grid, n, to);
  BothMatrix C(communicator, grid, n, from);
  A.ours.fill_random(1);
  cuboid::RedistributionPlan<double> to_b(communicator, A.ours.layout(), Op::none, B.ours.layout());
  cuboid::RedistributionPlan<double> to_c(communicator, A.ours.layout(), Op::transpose,
                                          C.ours.layout());
  const std::string only = argc > 5 ? argv[5] : "";
  Turns gemr2d{"pdgemr2d"}, ours{"redistribute"}, planned{"plan"};
  Turns tran{"pdtran"}, our_tran{"transpose"}, planned_tran{"transpose_plan"};
  const auto turn = [&](Turns& turns, const auto& run) {
    if (only.empty() || only == turns.name) turns.take(run);
  };
  long wrong = 0;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    turn(gemr2d, [&] {
      Cpdgemr2d(n, n, A.theirs.elements.data(), 1, 1, A.theirs.descriptor.data(),
                B.theirs.elements.data(), 1, 1, B.theirs.descriptor.data(), grid.context);
    });
    if (repeat == 0 && only.empty())
      wrong += wrong_elements(communicator, A.ours, B.ours, Op::none);
    turn(ours, [&] { cuboid::redistribute(1.0, A.ours, 0.0, B.ours); });
    turn(planned, [&] { to_b.run(1.0, A.ours, 0.0, B.ours); });
    turn(tran, [&] {
      const int one = 1;
      const double alpha = 1, beta = 0;
      pdtran_(&n, &n, &alpha, A.theirs.elements.data(), &one, &one, A.theirs.descriptor.data(),
              &beta, C.theirs.elements.data(), &one, &one, C.theirs.descriptor.data());
    });
    if (repeat == 0 && only.empty())
      wrong += wrong_elements(communicator, A.ours, C.ours, Op::transpose);
    turn(our_tran, [&] { cuboid::redistribute(1.0, transpose(A.ours), 0.0, C.ours); });
    turn(planned_tran, [&] { to_c.run(1.0, A.ours, 0.0, C.ours); });
  }
  if (communicator.rank() == 0) {
    std::printf("{\"ranks\": %d, \"n\": %d, \"from\": %d, \"to\": %d, \"wrong\": %ld", ranks, n,
                from, to, wrong);
    for (Turns* turns : {&gemr2d, &ours, &planned, &tran, &our_tran, &planned_tran}) {
      if (turns->seconds.size() > 1) std::printf(", \"%s\": %.6f", turns->name, turns->median());
    }
    std::printf("}\n");
  }
  return wrong == 0 ? 0 : 1;
}
