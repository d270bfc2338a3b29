// Random calls of PBLAS as the program makes them against the native ScaLAPACK, on the same data:
// descriptors, submatrices, grids over all and over some of the ranks, NaN in what must not be
// read, and every argument error. Prints what differs; returns the number of differences, at
// most 99. To be run under the drop-in with CUBOID_SCALAPACK=force, or with long matrices in its
// usual mode.
// Usage: bindings_scalapack_against_native [TIMES [LONGEST_EXTENT]]

#include "argument_errors.hpp"
#include "error_exits.hpp"
#include "inverse_calls.hpp"
#include "orthogonal_calls.hpp"
#include "random_parts.hpp"
#include "triangle_calls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <mpi.h>

namespace {

template <class T>
void random_gemm(Random& random, const Grid& grid, unsigned seed) {
  const int m = extent(random, 0), n = extent(random, 0), k = extent(random, 0);
  const char op_a = random.of({'N', 'T', 'C', 'n', 't', 'c'}), op_b = random.of({'N', 'T', 'C'});
  const bool plain_a = op_a == 'N' || op_a == 'n', plain_b = op_b == 'N';
  Part<T> A(random, grid, plain_a ? m : k, plain_a ? k : m, seed);
  Part<T> B(random, grid, plain_b ? k : n, plain_b ? n : k, seed + 1);
  Part<T> C(random, grid, m, n, seed + 2);
  const T alpha = random.of({T(1), T(-0.5F), T(0)}), beta = random.of({T(0), T(1), T(0.25F)});
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (beta == T(0)) C.fill(nan);
  if (alpha == T(0)) A.fill(nan);
  if (random(0, 9) == 0) B.elements[B.elements.size() / 2] = T(static_cast<float>(nan));
  on_both_sides<T>(
      described<T>("gemm", grid, m, n, k), C, 8.0 * (k + 1), [&](Side side, T* elements) {
        routine<Gemm<T>, T>(side, "gemm")(&op_a, &op_b, &m, &n, &k, &alpha, A.elements.data(), &A.i,
                                          &A.j, A.descriptor.data(), B.elements.data(), &B.i, &B.j,
                                          B.descriptor.data(), &beta, elements, &C.i, &C.j,
                                          C.descriptor.data());
      });
}

template <class T>
void random_add(Random& random, const Grid& grid, unsigned seed) {
  const int m = extent(random, 0), n = extent(random, 0);
  const char op = random.of({'N', 'T', 'C'});
  Part<T> A(random, grid, op == 'N' ? m : n, op == 'N' ? n : m, seed);
  Part<T> C(random, grid, m, n, seed + 1);
  const T alpha = random.of({T(1), T(-0.5F), T(0)}), beta = random.of({T(0), T(1), T(0.25F)});
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (beta == T(0)) C.fill(nan);
  if (alpha == T(0)) A.fill(nan);
  on_both_sides<T>(described<T>("geadd", grid, m, n, 0), C, 8, [&](Side side, T* elements) {
    routine<Geadd<T>, T>(side, "geadd")(&op, &m, &n, &alpha, A.elements.data(), &A.i, &A.j,
                                        A.descriptor.data(), &beta, elements, &C.i, &C.j,
                                        C.descriptor.data());
  });
  if (op == 'N') return;
  constexpr bool is_complex = !std::is_floating_point_v<T>;
  const char* const name = !is_complex ? "tran" : op == 'C' ? "tranc" : "tranu";
  on_both_sides<T>(described<T>(name, grid, m, n, 0), C, 8, [&](Side side, T* elements) {
    routine<Tran<T>, T>(side, name)(&m, &n, &alpha, A.elements.data(), &A.i, &A.j,
                                    A.descriptor.data(), &beta, elements, &C.i, &C.j,
                                    C.descriptor.data());
  });
}

template <class T>
void copy(Random& random, int m, int n, const Grid& all, const Grid& from, const Grid& to,
          unsigned seed) {
  Part<T> A(random, from, m, n, seed);
  Part<T> B(random, to, m, n, seed + 1);
  A.state_all_rows(from);
  B.state_all_rows(to);
  on_both_sides<T>(described<T>("gemr2d", to, m, n, 0), B, 0, [&](Side side, T* elements) {
    routine<Gemr2d<T>, T>(side, "gemr2d")(&m, &n, A.elements.data(), &A.i, &A.j,
                                          A.descriptor.data(), elements, &B.i, &B.j,
                                          B.descriptor.data(), &all.context);
  });
}

template <class T>
void random_copy(Random& random, const Grid& all, const Grid& from, const Grid& to, unsigned seed) {
  const int m = extent(random, 0), n = extent(random, 0);
  copy<T>(random, m, n, all, from, to, seed);
}

template <class T>
void random_trsm(Random& random, const Grid& grid, unsigned seed) {
  const int m = extent(random, 0), n = extent(random, 0);
  const char side = random.of({'L', 'R'}), uplo = random.of({'U', 'L'});
  const char op = random.of({'N', 'T', 'C'}), diagonal = random.of({'N', 'N', 'U'});
  const int order = side == 'L' ? m : n;
  Part<T> A = heavy_diagonal<T>(random, grid, order, seed, random(0, 1) == 0);
  if (diagonal == 'U') {
    for (T& element : A.elements) element *= 0.01F;
  }
  A.spoil_triangle(grid, order, uplo == 'U' ? 'L' : 'U');
  Part<T> B(random, grid, m, n, seed + 1);
  const T alpha = random.of({T(1), T(-0.5F), T(0)});
  on_both_sides<T>(
      described<T>("trsm", grid, m, n, 0), B, 30.0 + order, [&](Side which, T* elements) {
        routine<Trsm<T>, T>(which, "trsm")(&side, &uplo, &op, &diagonal, &m, &n, &alpha,
                                           A.elements.data(), &A.i, &A.j, A.descriptor.data(),
                                           elements, &B.i, &B.j, B.descriptor.data());
      });
}

/// Factorisations must be the same, as both choose the largest of each column.
template <class T>
void random_factorisations(Random& random, const Grid& grid, unsigned seed) {
  const int m = extent(random, 1), n = extent(random, 1);
  Part<T> A(random, grid, m, n, seed, true);
  std::vector<int> pivots, pivots_native;
  // As many as on a grid of one row; LOCr(M) + MB are needed.
  const auto room = static_cast<std::size_t>(A.descriptor[2] + A.descriptor[4]);
  int info = -1, info_native = -1;
  on_both_sides<T>(described<T>("getrf", grid, m, n, 0), A, 100.0 * (30 + std::min(m, n)),
                   [&](Side side, T* elements) {
                     auto& exchanged = side == Side::program ? pivots : pivots_native;
                     exchanged.assign(room, -7);
                     routine<Getrf<T>, T>(side, "getrf")(
                         &m, &n, elements, &A.i, &A.j, A.descriptor.data(), exchanged.data(),
                         side == Side::program ? &info : &info_native);
                   });
  for (int row = 0; row < std::min(m, n); ++row) {
    // Native also stores others' in places that belong to no row.
    const int local = A.local_row(grid, row);
    if (local >= 0 &&
        pivots[static_cast<std::size_t>(local)] != pivots_native[static_cast<std::size_t>(local)])
      differ(described<T>("getrf", grid, m, n, 0) + ": a pivot");
  }
  if (info != info_native) differ(described<T>("getrf", grid, m, n, 0) + ": info");

  const char uplo = random.of({'U', 'L'});
  Part<T> S = heavy_diagonal<T>(random, grid, n, seed + 1, true);
  S.spoil_triangle(grid, n, uplo == 'U' ? 'L' : 'U');
  on_both_sides<T>(described<T>("potrf", grid, n, n, 0), S, 30.0 + n, [&](Side side, T* elements) {
    routine<Potrf<T>, T>(side, "potrf")(&uplo, &n, elements, &S.i, &S.j, S.descriptor.data(),
                                        side == Side::program ? &info : &info_native, 1);
  });
  if (info != info_native) differ(described<T>("potrf", grid, n, n, 0) + ": info");
}

/// Factorisations of matrices with a NaN end, and pass it on; so do inverses of triangles, and from
/// factors, and least squares.
template <class T>
void not_finite_matrices(Random& random, const Grid& grid, unsigned seed) {
  const int n = extent(random, 2);
  const auto passes_on = [&](const char* name, int row, int column, const auto& call) {
    Part<T> A = heavy_diagonal<T>(random, grid, n, seed, true);
    if (T* const element = A.at(grid, 1, 0)) *element = T(std::numeric_limits<float>::quiet_NaN());
    int info = -1;
    call(A, &info);
    if (info < 0) differ(described<T>(name, grid, n, n, 0) + ", NaN: info");
    const T* const element = A.at(grid, row, column);
    if (element != nullptr && info == 0 && !is_nan(*element))
      differ(described<T>(name, grid, n, n, 0) + ", NaN: it is gone");
  };
  std::vector<int> pivots(static_cast<std::size_t>(4 * longest + 100));
  std::vector<T> taus(pivots.size()), work = orthogonal_workspace<T>();
  const int length = static_cast<int>(work.size());
  passes_on("getrf", n - 1, n - 1, [&](Part<T>& A, int* info) {
    routine<Getrf<T>, T>(Side::program, "getrf")(&n, &n, A.elements.data(), &A.i, &A.j,
                                                 A.descriptor.data(), pivots.data(), info);
  });
  passes_on("potrf", 1, 0, [&](Part<T>& A, int* info) {
    routine<Potrf<T>, T>(Side::program, "potrf")("L", &n, A.elements.data(), &A.i, &A.j,
                                                 A.descriptor.data(), info, 1);
  });
  passes_on("geqrf", n - 1, n - 1, [&](Part<T>& A, int* info) {
    routine<Geqrf<T>, T>(Side::program, "geqrf")(&n, &n, A.elements.data(), &A.i, &A.j,
                                                 A.descriptor.data(), taus.data(), work.data(),
                                                 &length, info);
  });
  passes_on("trtri", 1, 0, [&](Part<T>& A, int* info) {
    routine<Trtri<T>, T>(Side::program, "trtri")("L", "N", &n, A.elements.data(), &A.i, &A.j,
                                                 A.descriptor.data(), info, 1, 1);
  });
  passes_on("potri", 1, 0, [&](Part<T>& A, int* info) {
    routine<Potrf<T>, T>(Side::program, "potri")("L", &n, A.elements.data(), &A.i, &A.j,
                                                 A.descriptor.data(), info, 1);
  });
  passes_on("getri", 1, 0, [&](Part<T>& A, int* info) {
    for (int row = 0; row < n; ++row) {
      const int local = A.local_row(grid, row);
      if (local >= 0) pivots[static_cast<std::size_t>(local)] = A.i + row;
    }
    std::vector<int> integers(pivots.size());
    const int integers_length = static_cast<int>(integers.size());
    routine<Getri<T>, T>(Side::program, "getri")(&n, A.elements.data(), &A.i, &A.j,
                                                 A.descriptor.data(), pivots.data(), work.data(),
                                                 &length, integers.data(), &integers_length, info);
  });
  // The right-hand sides are finite, and end in A's place.
  passes_on("gels", n - 1, n - 1, [&](Part<T>& A, int* info) {
    Part<T> B = A;
    B.fill(1);
    routine<Gels<T>, T>(Side::program, "gels")("N", &n, &n, &n, A.elements.data(), &A.i, &A.j,
                                               A.descriptor.data(), B.elements.data(), &B.i, &B.j,
                                               B.descriptor.data(), work.data(), &length, info, 1);
    A = B;
  });
}

template <class T>
void random_calls(const Grid& grid, unsigned seed, int times) {
  Random random(seed);
  for (int time = 0; time < times; ++time) {
    const unsigned data = seed + 100 * static_cast<unsigned>(time);
    random_gemm<T>(random, grid, data);
    random_add<T>(random, grid, data);
    random_trsm<T>(random, grid, data);
    random_triangles<T>(random, grid, data);
    random_factorisations<T>(random, grid, data);
    random_inverses<T>(random, grid, data);
    random_orthogonal<T>(random, grid, data);
    not_finite_matrices<T>(random, grid, data);
  }
}

void all_types(const Grid& grid, unsigned seed, int times) {
  if (!grid.has_me()) return;
  random_calls<float>(grid, seed, times);
  random_calls<double>(grid, seed + 1, times);
  random_calls<std::complex<float>>(grid, seed + 2, times);
  random_calls<std::complex<double>>(grid, seed + 3, times);
}

/// Between contexts of which ranks know nothing that are not in them.
void copies(const Grid& all, const Grid& from, const Grid& to, unsigned seed, int times) {
  Random random(seed);
  for (int time = 0; time < times; ++time) {
    const unsigned data = seed + 10 * static_cast<unsigned>(time);
    random_copy<float>(random, all, from, to, data);
    random_copy<double>(random, all, to, from, data);
    random_copy<std::complex<float>>(random, all, from, to, data);
    random_copy<std::complex<double>>(random, all, to, from, data);
  }
}

/// Copies that are long enough for memory that the ranks of a node share. The contexts, which keep
/// plans and memory, end in another order on every second rank.
void long_copies(int ranks, unsigned seed) {
  Random random(seed);
  for (int time = 0; time < 3; ++time) {
    auto column = std::make_unique<Grid>(ranks, 1, numbers(0, ranks));
    auto row = std::make_unique<Grid>(1, ranks, numbers(0, ranks));
    const unsigned data = seed + 10 * static_cast<unsigned>(time);
    copy<double>(random, 700, 600, *column, *column, *row, data);
    copy<std::complex<float>>(random, 610, 690, *row, *row, *column, data + 1);
    copy<float>(random, 1100, 900, *row, *row, *row, data + 2);
    if (world_rank % 2 == 0) column.reset();
    row.reset();
  }
}

/// Updates of triangles that are so large that they are cut, or gone over in one pass.
void long_updates(int ranks, unsigned seed) {
  Random random(seed);
  const Grid column(ranks, 1, numbers(0, ranks)), row(1, ranks, numbers(0, ranks));
  random_update<double, double>(random, column, seed, 1100);
  random_update<std::complex<float>, float>(random, row, seed + 1, 1050);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int times = argc > 1 ? std::atoi(argv[1]) : 10;
  if (argc > 2) longest = std::atoi(argv[2]);
  unsigned seed = 1;
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0) continue;
    std::vector<int> order = numbers(0, ranks);
    const Grid grid(rows, ranks / rows, order);
    std::reverse(order.begin(), order.end());
    const Grid reversed(rows, ranks / rows, order);
    all_types(grid, seed++ * 1000, times);
    all_types(reversed, seed++ * 1000, times);
    all_argument_errors(grid);
    const Grid column(ranks, 1, order);
    const Grid half((ranks + 1) / 2, 1, numbers(0, (ranks + 1) / 2));
    const Grid other(1, ranks / 2, numbers((ranks + 1) / 2, ranks / 2));
    copies(grid, reversed, column, seed++ * 1000, times);
    copies(grid, half, other, seed++ * 1000, times);
    copies(reversed, grid, other, seed++ * 1000, times);
  }
  if (ranks > 2) {
    const Grid last(1, ranks - 1, numbers(1, ranks - 1));
    all_types(last, 77000, times);
    for (int again = 0; again < 20; ++again) {
      const Grid first(ranks - 1, 1, numbers(0, ranks - 1));
      all_types(first, 78000, 1);
    }
  }
  if (ranks > 1) long_copies(ranks, 79000);
  if (ranks > 1) long_updates(ranks, 80000);
  int all_differences = 0;
  MPI_Allreduce(&differences, &all_differences, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  Cblacs_exit(1);
  MPI_Finalize();
  return std::min(all_differences, 99);
}
