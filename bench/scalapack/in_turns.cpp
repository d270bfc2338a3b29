// A program's calls of ScaLAPACK's routines under the drop-in, in alternation with calls of the
// native routines. Prints the median seconds of both and the speed-up of the drop-in.
// Run: mpirun -n RANKS -x LD_PRELOAD=.../libcuboid_scalapack.so PROGRAM ROUTINE M N K [BLOCK
// [REPEATS]]
// ROUTINE is one of gemm, subgemm (of submatrices), tran, gemr2d (to blocks of K), getrf, getri,
// potrf, geqrf, trsm, trmm, symm, syrk. The first calls, in which the drop-in decides, are not
// measured. The native factorisations and inversions call pdgemm_, pdtrsm_ and pdtrtri_ by name,
// and so get the drop-in's. To compare with plain ScaLAPACK, use bench_scalapack_factorise or a run
// without the drop-in.
// waits, in this file: what is measured waits, and a person sees it measured

#include "base/statistics.hpp"
#include "bench/scalapack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <mpi.h>

namespace {

enum class Side { program, native };

template <class Function>
Function* routine(Side side, const char* name) {
  static void* const library = dlopen(SCALAPACK_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  void* const found = dlsym(side == Side::program ? RTLD_DEFAULT : library, name);
  if (library == nullptr || found == nullptr) std::exit(1);
  return reinterpret_cast<Function*>(found);
}

struct Case {
  int m, n, k, block;
  int margin = 0;  ///< rows and columns around the submatrices that are multiplied
};

/// A call of one routine by either side, on the same matrices.
using cuboid::detail::median;
using Call = std::function<void(Side)>;

const int one = 1;
const double unit = 1, nothing = 0;

Call gemm(const ScalapackGrid& grid, const Case& of) {
  const int more = 2 * of.margin;
  auto A = std::make_shared<BlacsMatrix>(grid, of.m + more, of.k + more, of.block);
  auto B = std::make_shared<BlacsMatrix>(grid, of.k + more, of.n + more, of.block);
  auto C = std::make_shared<BlacsMatrix>(grid, of.m + more, of.n + more, of.block);
  using Function =
      void(const char*, const char*, const int*, const int*, const int*, const double*,
           const double*, const int*, const int*, const int*, const double*, const int*, const int*,
           const int*, const double*, double*, const int*, const int*, const int*);
  return [=, begin = of.margin + 1](Side side) {
    routine<Function>(side, "pdgemm_")("N", "N", &of.m, &of.n, &of.k, &unit, A->elements.data(),
                                       &begin, &begin, A->descriptor.data(), B->elements.data(),
                                       &begin, &begin, B->descriptor.data(), &nothing,
                                       C->elements.data(), &begin, &begin, C->descriptor.data());
  };
}

Call tran(const ScalapackGrid& grid, const Case& of) {
  auto A = std::make_shared<BlacsMatrix>(grid, of.n, of.m, of.block);
  auto C = std::make_shared<BlacsMatrix>(grid, of.m, of.n, of.block);
  using Function =
      void(const int*, const int*, const double*, const double*, const int*, const int*, const int*,
           const double*, double*, const int*, const int*, const int*);
  return [=](Side side) {
    routine<Function>(side, "pdtran_")(&of.m, &of.n, &unit, A->elements.data(), &one, &one,
                                       A->descriptor.data(), &nothing, C->elements.data(), &one,
                                       &one, C->descriptor.data());
  };
}

Call gemr2d(const ScalapackGrid& grid, const Case& of) {
  auto A = std::make_shared<BlacsMatrix>(grid, of.m, of.n, of.block);
  auto B = std::make_shared<BlacsMatrix>(grid, of.m, of.n, of.k);
  using Function = void(const int*, const int*, const double*, const int*, const int*, const int*,
                        double*, const int*, const int*, const int*, const int*);
  using CFunction =
      void(int, int, const double*, int, int, const int*, double*, int, int, const int*, int);
  return [=, context = grid.context](Side side) {
    if (side == Side::native) {
      // pdgemr2d_ calls this one by its name, which the drop-in has taken.
      routine<CFunction>(side, "Cpdgemr2d")(of.m, of.n, A->elements.data(), 1, 1,
                                            A->descriptor.data(), B->elements.data(), 1, 1,
                                            B->descriptor.data(), context);
      return;
    }
    routine<Function>(side, "pdgemr2d_")(&of.m, &of.n, A->elements.data(), &one, &one,
                                         A->descriptor.data(), B->elements.data(), &one, &one,
                                         B->descriptor.data(), &context);
  };
}

/// Random numbers with a dominant diagonal; symmetric in the part that a factorisation reads.
std::shared_ptr<BlacsMatrix> to_factorise(const ScalapackGrid& grid, const Case& of) {
  auto A = std::make_shared<BlacsMatrix>(grid, of.n, of.n, of.block);
  const auto global = [&](int local, int process, int processes) {
    return (local / of.block * processes + process) * of.block + local % of.block;
  };
  for (std::size_t at = 0; at < A->elements.size(); ++at) {
    const int row = global(static_cast<int>(at) % A->local_rows, grid.row, grid.rows);
    const int column = global(static_cast<int>(at) / A->local_rows, grid.column, grid.columns);
    A->elements[at] = row == column ? of.n : std::cos(std::min(row, column) * 13.0 + row + column);
  }
  return A;
}

using Getrf = void(const int*, const int*, double*, const int*, const int*, const int*, int*, int*);

Call factorisation(const ScalapackGrid& grid, const Case& of, bool symmetric) {
  auto start = to_factorise(grid, of);
  auto A = std::make_shared<BlacsMatrix>(*start);
  auto pivots =
      std::make_shared<std::vector<int>>(static_cast<std::size_t>(A->local_rows + of.block));
  using Potrf =
      void(const char*, const int*, double*, const int*, const int*, const int*, int*, std::size_t);
  return [=](Side side) {
    A->elements = start->elements;
    int info = 0;
    if (symmetric) {
      routine<Potrf>(side, "pdpotrf_")("L", &of.n, A->elements.data(), &one, &one,
                                       A->descriptor.data(), &info, 1);
    } else {
      routine<Getrf>(side, "pdgetrf_")(&of.n, &of.n, A->elements.data(), &one, &one,
                                       A->descriptor.data(), pivots->data(), &info);
    }
  };
}

Call getri(const ScalapackGrid& grid, const Case& of) {
  auto factors = std::make_shared<BlacsMatrix>(grid, of.n, of.n, of.block);
  std::mt19937 engine(static_cast<unsigned>(grid.row * grid.columns + grid.column));
  for (double& element : factors->elements) element = std::uniform_real_distribution(-1.0)(engine);
  auto pivots =
      std::make_shared<std::vector<int>>(static_cast<std::size_t>(factors->local_rows + of.block));
  int info = 0;
  routine<Getrf>(Side::native, "pdgetrf_")(&of.n, &of.n, factors->elements.data(), &one, &one,
                                           factors->descriptor.data(), pivots->data(), &info);
  auto A = std::make_shared<BlacsMatrix>(*factors);
  using Getri = void(const int*, double*, const int*, const int*, const int*, const int*, double*,
                     const int*, int*, const int*, int*);
  const auto call = [=](Side side, double* work, int length, int* integers, int integers_length) {
    int result = 0;
    routine<Getri>(side, "pdgetri_")(&of.n, A->elements.data(), &one, &one, A->descriptor.data(),
                                     pivots->data(), work, &length, integers, &integers_length,
                                     &result);
    if (result != 0) std::exit(1);
  };
  double length = 0;
  int integers_length = 0;
  call(Side::native, &length, -1, &integers_length, -1);
  auto work = std::make_shared<std::vector<double>>(static_cast<std::size_t>(length));
  auto integers = std::make_shared<std::vector<int>>(static_cast<std::size_t>(integers_length));
  return [=](Side side) {
    A->elements = factors->elements;
    call(side, work->data(), static_cast<int>(work->size()), integers->data(), integers_length);
  };
}

Call geqrf(const ScalapackGrid& grid, const Case& of) {
  auto start = std::make_shared<BlacsMatrix>(grid, of.m, of.n, of.block);
  for (std::size_t at = 0; at < start->elements.size(); ++at)
    start->elements[at] = std::cos(static_cast<double>(at * at % 9973) + grid.row);
  auto A = std::make_shared<BlacsMatrix>(*start);
  using Function = void(const int*, const int*, double*, const int*, const int*, const int*,
                        double*, double*, const int*, int*);
  // A block's columns of V, and as many rows of the update.
  const int local_columns = static_cast<int>(A->elements.size()) / std::max(A->local_rows, 1);
  const int length = of.block * (A->local_rows + local_columns + 3 * of.block);
  auto taus =
      std::make_shared<std::vector<double>>(static_cast<std::size_t>(local_columns + of.block));
  auto work = std::make_shared<std::vector<double>>(static_cast<std::size_t>(length));
  return [=](Side side) {
    A->elements = start->elements;
    int info = 0;
    routine<Function>(side, "pdgeqrf_")(&of.m, &of.n, A->elements.data(), &one, &one,
                                        A->descriptor.data(), taus->data(), work->data(), &length,
                                        &info);
    if (info != 0) std::exit(1);
  };
}

/// A call of pdtrsm or pdtrmm.
Call triangular(const char* name, const ScalapackGrid& grid, const Case& of) {
  auto A = to_factorise(grid, of);
  auto B = std::make_shared<BlacsMatrix>(grid, of.n, of.k, of.block);
  using Function = void(const char*, const char*, const char*, const char*, const int*, const int*,
                        const double*, const double*, const int*, const int*, const int*, double*,
                        const int*, const int*, const int*);
  return [=](Side side) {
    routine<Function>(side, name)("L", "L", "N", "N", &of.n, &of.k, &unit, A->elements.data(), &one,
                                  &one, A->descriptor.data(), B->elements.data(), &one, &one,
                                  B->descriptor.data());
  };
}

Call symm(const ScalapackGrid& grid, const Case& of) {
  auto A = std::make_shared<BlacsMatrix>(grid, of.m, of.m, of.block);
  auto B = std::make_shared<BlacsMatrix>(grid, of.m, of.n, of.block);
  auto C = std::make_shared<BlacsMatrix>(grid, of.m, of.n, of.block);
  using Function =
      void(const char*, const char*, const int*, const int*, const double*, const double*,
           const int*, const int*, const int*, const double*, const int*, const int*, const int*,
           const double*, double*, const int*, const int*, const int*);
  return [=](Side side) {
    routine<Function>(side, "pdsymm_")("L", "L", &of.m, &of.n, &unit, A->elements.data(), &one,
                                       &one, A->descriptor.data(), B->elements.data(), &one, &one,
                                       B->descriptor.data(), &nothing, C->elements.data(), &one,
                                       &one, C->descriptor.data());
  };
}

Call syrk(const ScalapackGrid& grid, const Case& of) {
  auto A = std::make_shared<BlacsMatrix>(grid, of.n, of.k, of.block);
  auto C = std::make_shared<BlacsMatrix>(grid, of.n, of.n, of.block);
  using Function = void(const char*, const char*, const int*, const int*, const double*,
                        const double*, const int*, const int*, const int*, const double*, double*,
                        const int*, const int*, const int*);
  return [=](Side side) {
    routine<Function>(side, "pdsyrk_")("L", "N", &of.n, &of.k, &unit, A->elements.data(), &one,
                                       &one, A->descriptor.data(), &nothing, C->elements.data(),
                                       &one, &one, C->descriptor.data());
  };
}

Call call_of(const std::string& name, const ScalapackGrid& grid, const Case& of) {
  if (name == "gemm") return gemm(grid, of);
  if (name == "subgemm") return gemm(grid, {of.m, of.n, of.k, of.block, 37});
  if (name == "tran") return tran(grid, of);
  if (name == "gemr2d") return gemr2d(grid, of);
  if (name == "getrf") return factorisation(grid, of, false);
  if (name == "getri") return getri(grid, of);
  if (name == "potrf") return factorisation(grid, of, true);
  if (name == "geqrf") return geqrf(grid, of);
  if (name == "trsm") return triangular("pdtrsm_", grid, of);
  if (name == "trmm") return triangular("pdtrmm_", grid, of);
  if (name == "symm") return symm(grid, of);
  if (name == "syrk") return syrk(grid, of);
  return {};
}

double seconds_of(const Call& call, Side side) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  call(side);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - begin;
}

/// The number of calls that the drop-in needs for its decision: some pairs of calls, after enough
/// time has been spent in calls. Long calls are decided early.
int calls_to_decide(const Call& call) {
  constexpr double enough_seconds = 0.2;
  constexpr double turns = 20, turns_of_long_calls = 6, most = 3000;
  constexpr double long_call = 0.5;
  double seconds = seconds_of(call, Side::native);
  MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return static_cast<int>((seconds > long_call ? turns_of_long_calls : turns) +
                          std::min(enough_seconds / seconds, most));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    const auto number = [&](int at, int otherwise) {
      return argc > at ? std::atoi(argv[at]) : otherwise;
    };
    const Case of{number(2, 0), number(3, 0), number(4, 0), number(5, 64)};
    const int repeats = number(6, 7);
    const int shorter = largest_divisor(ranks, static_cast<int>(std::sqrt(ranks)));
    const ScalapackGrid grid(of.m > of.n ? ranks / shorter : shorter,
                             of.m > of.n ? shorter : ranks / shorter);
    const Call call = argc > 4 ? call_of(argv[1], grid, of) : Call();
    if (!call) {
      if (rank == 0) std::fprintf(stderr, "usage: %s ROUTINE M N K [BLOCK [REPEATS]]\n", argv[0]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int more = calls_to_decide(call); more > 0; --more) call(Side::program);
    std::vector<double> program, native;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      native.push_back(seconds_of(call, Side::native));
      program.push_back(seconds_of(call, Side::program));
    }
    if (rank == 0) {
      std::printf(
          "pd%s %dx%dx%d, blocks of %d on %dx%d: native %.4g s, drop-in %.4g s: %.2f times\n",
          argv[1], of.m, of.n, of.k, of.block, grid.rows, grid.columns, median(native),
          median(program), median(native) / median(program));
    }
  }
  MPI_Finalize();
  return 0;
}
