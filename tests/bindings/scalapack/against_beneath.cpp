// Random calls of PBLAS as the program makes them against the ScaLAPACK beneath, on the same data:
// descriptors, submatrices, grids over all and over some of the ranks, NaN in what must not be
// read, and every argument error. Prints what differs; returns the number of differences, at
// most 99. To be run under the drop-in with CUBOID_SCALAPACK=force.

#include "scalapack_calls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <mpi.h>

namespace {

int differences = 0;
int world_rank = 0;
int last_error = 0;

}  // namespace

// PBLAS's and ScaLAPACK's error exits, which programs may replace.
extern "C" {
void PB_Cabort(int, const char*, int info) {
  last_error = info;
}
void pxerbla_(const int*, const char*, const int* info, std::size_t) {
  last_error = -*info;
}
void PB_Cwarn(int, int, const char*, const char*, ...) {}
}

namespace {

void differ(const std::string& what) {
  ++differences;
  if (differences < 20)
    std::fprintf(stderr, "rank %d: differs from the ScaLAPACK beneath: %s\n", world_rank,
                 what.c_str());
}

/// The same numbers on all ranks.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int operator()(int least, int most) {
    return least + static_cast<int>(engine_() % static_cast<unsigned>(most - least + 1));
  }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[(*this)(0, static_cast<int>(choices.size()) - 1)];
  }

 private:
  std::mt19937 engine_;
};

struct Grid {
  int context = -1;
  int rows = 0, columns = 0, row = -1, column = -1;

  /// Of these ranks, by the grid's columns; a rank that is not among them gets none.
  Grid(int grid_rows, int grid_columns, const std::vector<int>& ranks) {
    Cblacs_get(-1, 0, &context);
    Cblacs_gridmap(&context, ranks.data(), grid_rows, grid_rows, grid_columns);
    if (context >= 0) Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    rows = grid_rows;
    columns = grid_columns;
  }
  ~Grid() {
    if (has_me()) Cblacs_gridexit(context);
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  bool has_me() const { return row >= 0; }
};

template <class T>
T random_value(std::mt19937& engine) {
  const auto part = [&] { return static_cast<float>(engine() % 2001) / 1000.0F - 1.0F; };
  if constexpr (std::is_floating_point_v<T>) {
    return part();
  } else {
    return T(part(), part());
  }
}

/// A distributed matrix with a submatrix of so many rows and columns somewhere in it.
template <class T>
struct Part {
  int i = 1, j = 1;
  std::array<int, 9> descriptor{};
  std::vector<T> elements;

  /// @param in_blocks  in square blocks, from the beginning of one on.
  Part(Random& random, const Grid& grid, int rows, int columns, unsigned seed,
       bool in_blocks = false) {
    const int row_block = random(1, 9);
    const int column_block = random(0, 1) == 0 || in_blocks ? row_block : random(1, 9);
    const bool whole_blocks = random(0, 2) == 0 || in_blocks;
    const auto begin = [&](int block) {
      return 1 + (whole_blocks ? block * random(0, 2) : random(0, 13));
    };
    i = begin(row_block);
    j = begin(column_block);
    const int all_rows = i - 1 + rows + random(0, 5), all_columns = j - 1 + columns + random(0, 5);
    const int row_source = random(0, grid.rows - 1), column_source = random(0, grid.columns - 1);
    const int gap = random(0, 3);
    descriptor[1] = -1;
    if (!grid.has_me()) return;
    const int local_rows = numroc_(&all_rows, &row_block, &grid.row, &row_source, &grid.rows);
    const int local_columns =
        numroc_(&all_columns, &column_block, &grid.column, &column_source, &grid.columns);
    // A rank without columns may say less than its rows.
    const int leading = local_columns == 0 ? 1 : std::max(1, local_rows) + gap;
    descriptor = {1,          grid.context,  all_rows, all_columns, row_block, column_block,
                  row_source, column_source, leading};
    elements.resize(static_cast<std::size_t>(leading) * static_cast<std::size_t>(local_columns) +
                    1);
    std::mt19937 engine(seed * 977 + static_cast<unsigned>(world_rank));
    for (T& element : elements) element = random_value<T>(engine);
  }
  /// Where a row or column of the submatrix, from 0, is on this rank; -1 on others.
  int local_row(const Grid& grid, int row) const {
    return local(i - 1 + row, descriptor[4], descriptor[6], grid.rows, grid.row);
  }
  int local_column(const Grid& grid, int column) const {
    return local(j - 1 + column, descriptor[5], descriptor[7], grid.columns, grid.column);
  }
  /// An element of the submatrix; nullptr on other ranks.
  T* at(const Grid& grid, int row, int column) {
    const int here_row = local_row(grid, row), here_column = local_column(grid, column);
    if (here_row < 0 || here_column < 0) return nullptr;
    return &elements[static_cast<std::size_t>(here_row) +
                     static_cast<std::size_t>(here_column) *
                         static_cast<std::size_t>(descriptor[8])];
  }
  /// NaN in one triangle, without the diagonal.
  void spoil_triangle(const Grid& grid, int order, char uplo) {
    for (int row = 0; row < order; ++row) {
      for (int column = 0; column < order; ++column) {
        if (uplo == 'U' ? row >= column : row <= column) continue;
        if (T* const element = at(grid, row, column))
          *element = T(std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
  static int local(int index, int block, int source, int processes, int process) {
    const bool here = (index / block + source) % processes == process;
    return here ? index / (block * processes) * block + index % block : -1;
  }
  void fill(double value) {
    std::fill(elements.begin(), elements.end(), T(static_cast<float>(value)));
  }
};

bool is_nan(auto value) {
  return !(value == value);
}

/// Elements that the routine beneath leaves alone must be left alone, to the bit; others be close.
template <class T>
void compare(const std::string& what, const std::vector<T>& before, const std::vector<T>& expected,
             const std::vector<T>& got, double scale) {
  const double tolerance =
      scale * static_cast<double>(std::numeric_limits<decltype(std::abs(T()))>::epsilon());
  for (std::size_t at = 0; at < before.size(); ++at) {
    const auto same_bits = [&](const T& a, const T& b) {
      return std::memcmp(&a, &b, sizeof(T)) == 0;
    };
    const bool left_alone = same_bits(before[at], expected[at]);
    const bool good = left_alone             ? same_bits(got[at], expected[at])
                      : is_nan(expected[at]) ? is_nan(got[at])
                                             : std::abs(got[at] - expected[at]) <= tolerance;
    if (good) continue;
    differ(what + (left_alone ? ": an element outside" : ": an element inside"));
    return;
  }
}

/// The same call on both sides, on copies of the same C.
template <class T>
void on_both_sides(const std::string& what, const Part<T>& C, double scale,
                   const std::function<void(Side, T*)>& call) {
  std::vector<T> expected = C.elements, got = C.elements;
  last_error = 0;
  call(Side::beneath, expected.data());
  const int error_beneath = std::exchange(last_error, 0);
  call(Side::program, got.data());
  if (last_error != error_beneath)
    differ(what + ": error " + std::to_string(last_error) + ", not " +
           std::to_string(error_beneath));
  compare(what, C.elements, expected, got, scale);
}

template <class T>
std::string described(const char* name, const Grid& grid, int m, int n, int k) {
  return std::string("p") + Routines<T>::letter + name + " " + std::to_string(m) + "x" +
         std::to_string(n) + "x" + std::to_string(k) + " on " + std::to_string(grid.rows) + "x" +
         std::to_string(grid.columns);
}

template <class T>
void random_gemm(Random& random, const Grid& grid, unsigned seed) {
  const int m = random(0, 40), n = random(0, 40), k = random(0, 40);
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
  const int m = random(0, 40), n = random(0, 40);
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
void random_copy(Random& random, const Grid& all, const Grid& from, const Grid& to, unsigned seed) {
  const int m = random(0, 40), n = random(0, 40);
  Part<T> A(random, from, m, n, seed);
  Part<T> B(random, to, m, n, seed + 1);
  on_both_sides<T>(described<T>("gemr2d", to, m, n, 0), B, 0, [&](Side side, T* elements) {
    routine<Gemr2d<T>, T>(side, "gemr2d")(&m, &n, A.elements.data(), &A.i, &A.j,
                                          A.descriptor.data(), elements, &B.i, &B.j,
                                          B.descriptor.data(), &all.context);
  });
}

/// A square matrix with a heavy diagonal, so that solving with either triangle is harmless.
/// @param in_blocks  as the factorisations want it.
template <class T>
Part<T> heavy_diagonal(Random& random, const Grid& grid, int order, unsigned seed, bool in_blocks) {
  Part<T> A(random, grid, order, order, seed, in_blocks);
  for (int j = 0; j < order; ++j) {
    if (T* const element = A.at(grid, j, j)) *element = T(static_cast<float>(order + 2));
  }
  return A;
}

template <class T>
void random_trsm(Random& random, const Grid& grid, unsigned seed) {
  const int m = random(0, 30), n = random(0, 30);
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
  on_both_sides<T>(described<T>("trsm", grid, m, n, 0), B, 30.0, [&](Side which, T* elements) {
    routine<Trsm<T>, T>(which, "trsm")(&side, &uplo, &op, &diagonal, &m, &n, &alpha,
                                       A.elements.data(), &A.i, &A.j, A.descriptor.data(), elements,
                                       &B.i, &B.j, B.descriptor.data());
  });
}

/// Factorisations must be the same, as both choose the largest of each column.
template <class T>
void random_factorisations(Random& random, const Grid& grid, unsigned seed) {
  const int m = random(1, 40), n = random(1, 40);
  Part<T> A(random, grid, m, n, seed, true);
  std::vector<int> pivots, pivots_beneath;
  int info = -1, info_beneath = -1;
  on_both_sides<T>(described<T>("getrf", grid, m, n, 0), A, 3000.0, [&](Side side, T* elements) {
    auto& exchanged = side == Side::program ? pivots : pivots_beneath;
    exchanged.assign(A.elements.size() + 64, -7);
    routine<Getrf<T>, T>(side, "getrf")(&m, &n, elements, &A.i, &A.j, A.descriptor.data(),
                                        exchanged.data(),
                                        side == Side::program ? &info : &info_beneath);
  });
  for (int row = 0; row < std::min(m, n); ++row) {
    // Beneath also stores others' in places that belong to no row.
    const int local = A.local_row(grid, row);
    if (local >= 0 &&
        pivots[static_cast<std::size_t>(local)] != pivots_beneath[static_cast<std::size_t>(local)])
      differ(described<T>("getrf", grid, m, n, 0) + ": a pivot");
  }
  if (info != info_beneath) differ(described<T>("getrf", grid, m, n, 0) + ": info");

  const char uplo = random.of({'U', 'L'});
  Part<T> S = heavy_diagonal<T>(random, grid, n, seed + 1, true);
  S.spoil_triangle(grid, n, uplo == 'U' ? 'L' : 'U');
  on_both_sides<T>(described<T>("potrf", grid, n, n, 0), S, 30.0, [&](Side side, T* elements) {
    routine<Potrf<T>, T>(side, "potrf")(&uplo, &n, elements, &S.i, &S.j, S.descriptor.data(),
                                        side == Side::program ? &info : &info_beneath, 1);
  });
  if (info != info_beneath) differ(described<T>("potrf", grid, n, n, 0) + ": info");
}

/// Each argument of a small product made wrong, one after the other.
void errors_of_gemm(const Grid& grid) {
  Random random(5);
  struct Call {
    char op_a = 'N', op_b = 'N';
    int m = 8, n = 8, k = 8;
    Part<double> A, B, C;
  };
  const Call right{
      .A = {random, grid, 8, 8, 1}, .B = {random, grid, 8, 8, 2}, .C = {random, grid, 8, 8, 3}};
  std::vector<std::function<void(Call&)>> mistakes = {
      [](Call& call) { call.op_a = 'X'; }, [](Call& call) { call.op_b = 'X'; },
      [](Call& call) { call.m = -1; }, [](Call& call) { call.n = -1; },
      [](Call& call) { call.k = -1; }};
  for (Part<double> Call::*const part : {&Call::A, &Call::B, &Call::C}) {
    mistakes.emplace_back([=](Call& call) { (call.*part).i = 0; });
    mistakes.emplace_back([=](Call& call) { (call.*part).j = -3; });
    mistakes.emplace_back([=](Call& call) { (call.*part).i += 100; });
    for (const std::size_t entry : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
      mistakes.emplace_back([=](Call& call) { (call.*part).descriptor[entry] = -2; });
      if (entry == 4 || entry == 5 || entry == 8)
        mistakes.emplace_back([=](Call& call) { (call.*part).descriptor[entry] = 0; });
    }
  }
  const double alpha = 1, beta = 1;
  for (std::size_t number = 0; number < mistakes.size(); ++number) {
    Call call = right;
    mistakes[number](call);
    const auto& [op_a, op_b, m, n, k, A, B, C] = call;
    on_both_sides<double>("mistake " + std::to_string(number) + " in pdgemm", C, 100,
                          [&](Side side, double* elements) {
                            routine<Gemm<double>, double>(side, "gemm")(
                                &op_a, &op_b, &m, &n, &k, &alpha, A.elements.data(), &A.i, &A.j,
                                A.descriptor.data(), B.elements.data(), &B.i, &B.j,
                                B.descriptor.data(), &beta, elements, &C.i, &C.j,
                                C.descriptor.data());
                          });
  }
}

template <class T>
void random_calls(const Grid& grid, unsigned seed, int times) {
  Random random(seed);
  for (int time = 0; time < times; ++time) {
    const unsigned data = seed + 100 * static_cast<unsigned>(time);
    random_gemm<T>(random, grid, data);
    random_add<T>(random, grid, data);
    random_trsm<T>(random, grid, data);
    random_factorisations<T>(random, grid, data);
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

std::vector<int> numbers(int from, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), from);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const int times = argc > 1 ? std::atoi(argv[1]) : 10;
  unsigned seed = 1;
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0) continue;
    std::vector<int> order = numbers(0, ranks);
    const Grid grid(rows, ranks / rows, order);
    std::reverse(order.begin(), order.end());
    const Grid reversed(rows, ranks / rows, order);
    all_types(grid, seed++ * 1000, times);
    all_types(reversed, seed++ * 1000, times);
    errors_of_gemm(grid);
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
  int all_differences = 0;
  MPI_Allreduce(&differences, &all_differences, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  Cblacs_exit(1);
  MPI_Finalize();
  return std::min(all_differences, 99);
}
