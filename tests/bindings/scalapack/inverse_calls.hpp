#pragma once

// Random calls of the routines that invert triangles, and matrices from Cholesky's factors.

#include "random_parts.hpp"
#include "triangle_calls.hpp"

#include <array>
#include <string>

/// p?trtri, and p?potri with the triangle as Cholesky's factor.
template <class T>
void random_inverses(Random& random, const Grid& grid, unsigned seed) {
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
