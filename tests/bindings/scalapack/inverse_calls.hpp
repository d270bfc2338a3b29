#pragma once

// Random calls of the routines that invert triangles, and matrices from their factors.

#include "random_parts.hpp"
#include "triangle_calls.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

/// p?trtri, and p?potri with the triangle as Cholesky's factor.
template <class T>
void random_triangular_inverses(Random& random, const Grid& grid, unsigned seed) {
  const int n = extent(random, 1);
  const char uplo = random.of({'U', 'L'}), diagonal = random.of({'N', 'U'});
  std::array<int, 2> info{};
  const auto info_of = [&](Side side) { return &info[side == Side::program ? 0 : 1]; };
  const auto require_equal_infos = [&](const std::string& what) {
    if (info[0] != info[1]) differ(what + ": info");
  };
  Part<T> A = heavy_diagonal<T>(random, grid, n, seed, true);
  A.spoil_triangle(grid, n, other_triangle(uplo));
  const std::string potri = described<T>("potri", grid, n, n, 0);
  on_both_sides<T>(potri, A, 30.0 + n, [&](Side side, T* elements) {
    routine<Potrf<T>, T>(side, "potri")(&uplo, &n, elements, &A.i, &A.j, A.descriptor.data(),
                                        info_of(side), 1);
  });
  require_equal_infos(potri);

  const std::string trtri = described<T>("trtri", grid, n, n, 0);
  const auto invert = [&](const std::string& what) {
    on_both_sides<T>(what, A, 30.0 + n, [&](Side side, T* elements) {
      routine<Trtri<T>, T>(side, "trtri")(&uplo, &diagonal, &n, elements, &A.i, &A.j,
                                          A.descriptor.data(), info_of(side), 1, 1);
    });
    require_equal_infos(what);
  };
  if (diagonal == 'U') {
    for (T& element : A.elements) element *= 0.01F;
  }
  invert(trtri);
  if (T* const element = A.at(grid, n / 2, n / 2)) *element = T(0);
  invert(trtri + ", with a zero");
}

/// p?getri with the factors of a matrix whose heavy elements are pivots in other rows.
template <class T>
void random_inverse_from_lu(Random& random, const Grid& grid, unsigned seed) {
  const int n = extent(random, 1);
  Part<T> A(random, grid, n, n, seed, true);
  for (int j = 0; j < n; ++j) {
    if (T* const element = A.at(grid, (j + 1) % n, j)) *element = T(static_cast<float>(n + 2));
  }
  std::vector<int> pivots(static_cast<std::size_t>(A.descriptor[2] + A.descriptor[4]));
  int info = 0;
  routine<Getrf<T>, T>(Side::native, "getrf")(&n, &n, A.elements.data(), &A.i, &A.j,
                                              A.descriptor.data(), pivots.data(), &info);
  const std::string what = described<T>("getri", grid, n, n, 0);
  std::array<T, 2> needed{};
  std::array<int, 2> integers_needed{}, infos{};
  const auto at = [](Side side) { return side == Side::program ? std::size_t{0} : std::size_t{1}; };
  const auto call = [&](Side side, T* elements, T* work, int length, int* integers,
                        int integers_length) {
    routine<Getri<T>, T>(side, "getri")(&n, elements, &A.i, &A.j, A.descriptor.data(),
                                        pivots.data(), work, &length, integers, &integers_length,
                                        &infos[at(side)]);
  };
  on_both_sides<T>(what + ", query", A, 0, [&](Side side, T* elements) {
    call(side, elements, &needed[at(side)], -1, &integers_needed[at(side)], -1);
  });
  if (needed[0] != needed[1] || integers_needed[0] != integers_needed[1] || infos[0] != infos[1])
    differ(what + ": a query");
  const int length = static_cast<int>(std::abs(needed[1]));
  // ScaLAPACK's own writes more of WORK or IWORK than it asks for.
  constexpr std::size_t room = 1000;
  const auto call_with = [&](const std::string& which, int fewer) {
    on_both_sides<T>(what + which, A, 100.0 * (30 + n), [&](Side side, T* elements) {
      std::vector<T> work(static_cast<std::size_t>(length) + room);
      std::vector<int> integers(static_cast<std::size_t>(integers_needed[1]) + room);
      call(side, elements, work.data(), std::max(length - fewer, 0), integers.data(),
           integers_needed[1]);
      if (side == Side::program && infos[0] == 0 &&
          (work.front() != needed[0] || integers.front() != integers_needed[0]))
        differ(what + which + ": the lengths that are returned");
    });
    if (infos[0] != infos[1]) differ(what + which + ": info");
  };
  call_with("", 0);
  call_with(", too short on one rank", grid.row == 0 && grid.column == 0 ? 1 : 0);
  if (T* const element = A.at(grid, n / 2, n / 2)) *element = T(0);
  call_with(", singular", 0);
  if (infos[0] != n / 2 + 1) differ(what + ", singular: info is not the place of the zero");
}

template <class T>
void random_inverses(Random& random, const Grid& grid, unsigned seed) {
  random_triangular_inverses<T>(random, grid, seed);
  random_inverse_from_lu<T>(random, grid, seed + 1);
}
