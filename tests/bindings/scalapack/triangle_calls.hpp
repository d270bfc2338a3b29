#pragma once

// Random calls of the routines that work on a triangle of a matrix: NaN is in the other triangle,
// and must neither be read nor overwritten.

#include "random_parts.hpp"

template <class T>
constexpr bool is_complex_type = !std::is_floating_point_v<T>;

inline char other_triangle(char uplo) {
  return uplo == 'U' ? 'L' : 'U';
}

template <class T>
void make_diagonal_real(Part<T>& part, const Grid& grid, int order) {
  for (int j = 0; j < order; ++j) {
    if (T* const element = part.at(grid, j, j)) *element = T(std::real(*element));
  }
}

/// p?symm and p?hemm.
template <class T>
void random_symm(Random& random, const Grid& grid, unsigned seed, bool hermitian) {
  const int m = extent(random, 0), n = extent(random, 0);
  const char side = random.of({'L', 'R', 'l', 'r'}), uplo = random.of({'U', 'L'});
  const int order = side == 'L' || side == 'l' ? m : n;
  Part<T> A(random, grid, order, order, seed);
  if (hermitian) make_diagonal_real(A, grid, order);
  A.spoil_triangle(grid, order, other_triangle(uplo));
  Part<T> B(random, grid, m, n, seed + 1), C(random, grid, m, n, seed + 2);
  const T alpha = random.of({T(1), T(-0.5F), T(0)}), beta = random.of({T(0), T(1), T(0.25F)});
  if (beta == T(0)) C.fill(std::numeric_limits<double>::quiet_NaN());
  const char* const name = hermitian ? "hemm" : "symm";
  on_both_sides<T>(
      described<T>(name, grid, m, n, 0), C, 8.0 * (order + 1), [&](Side which, T* elements) {
        routine<Symm<T>, T>(which, name)(&side, &uplo, &m, &n, &alpha, A.elements.data(), &A.i,
                                         &A.j, A.descriptor.data(), B.elements.data(), &B.i, &B.j,
                                         B.descriptor.data(), &beta, elements, &C.i, &C.j,
                                         C.descriptor.data());
      });
}

/// p?syrk and p?herk, p?syr2k and p?her2k, with a real or complex β.
template <class T, class Scalar>
void random_update(Random& random, const Grid& grid, unsigned seed, int n) {
  constexpr bool hermitian = is_complex_type<T> && std::is_floating_point_v<Scalar>;
  const int k = extent(random, 0);
  const char uplo = random.of({'U', 'L'});
  const char trans = !is_complex_type<T> ? random.of({'N', 'T', 'C'})
                     : hermitian         ? random.of({'N', 'C'})
                                         : random.of({'N', 'T'});
  const bool plain = trans == 'N';
  Part<T> A(random, grid, plain ? n : k, plain ? k : n, seed);
  Part<T> B(random, grid, plain ? n : k, plain ? k : n, seed + 1);
  Part<T> C(random, grid, n, n, seed + 2);
  C.spoil_triangle(grid, n, other_triangle(uplo));
  if (hermitian) make_diagonal_real(C, grid, n);
  const Scalar beta = random.of({Scalar(0), Scalar(1), Scalar(0.25F)});
  const Scalar alpha = random.of({Scalar(1), Scalar(-0.5F), Scalar(0)});
  const char* const once = hermitian ? "herk" : "syrk";
  on_both_sides<T>(
      described<T>(once, grid, n, n, k), C, 8.0 * (k + 1), [&](Side which, T* elements) {
        routine<Syrk<T, Scalar>, T>(which, once)(&uplo, &trans, &n, &k, &alpha, A.elements.data(),
                                                 &A.i, &A.j, A.descriptor.data(), &beta, elements,
                                                 &C.i, &C.j, C.descriptor.data());
      });
  T factor(alpha);
  if constexpr (is_complex_type<T>) factor *= T(0.6F, -0.8F);
  const char* const twice = hermitian ? "her2k" : "syr2k";
  on_both_sides<T>(described<T>(twice, grid, n, n, k), C, 16.0 * (k + 1),
                   [&](Side which, T* elements) {
                     routine<Syr2k<T, Scalar>, T>(which, twice)(
                         &uplo, &trans, &n, &k, &factor, A.elements.data(), &A.i, &A.j,
                         A.descriptor.data(), B.elements.data(), &B.i, &B.j, B.descriptor.data(),
                         &beta, elements, &C.i, &C.j, C.descriptor.data());
                   });
}

template <class T>
void random_trmm(Random& random, const Grid& grid, unsigned seed) {
  const int m = extent(random, 0), n = extent(random, 0);
  const char side = random.of({'L', 'R'}), uplo = random.of({'U', 'L'});
  const char op = random.of({'N', 'T', 'C'}), diagonal = random.of({'N', 'N', 'U'});
  const int order = side == 'L' ? m : n;
  Part<T> A(random, grid, order, order, seed);
  A.spoil_triangle(grid, order, other_triangle(uplo));
  for (int j = 0; diagonal == 'U' && j < order; ++j) {
    if (T* const element = A.at(grid, j, j)) *element = T(std::numeric_limits<float>::quiet_NaN());
  }
  Part<T> B(random, grid, m, n, seed + 1);
  const float infinite = std::numeric_limits<float>::infinity();
  if (random(0, 4) == 0) B.elements[B.elements.size() / 3] = T(infinite);
  const T alpha = random.of({T(1), T(-0.5F), T(0)});
  on_both_sides<T>(
      described<T>("trmm", grid, m, n, 0), B, 8.0 * (order + 1), [&](Side which, T* elements) {
        routine<Trsm<T>, T>(which, "trmm")(&side, &uplo, &op, &diagonal, &m, &n, &alpha,
                                           A.elements.data(), &A.i, &A.j, A.descriptor.data(),
                                           elements, &B.i, &B.j, B.descriptor.data());
      });
}

template <class T>
void random_tradd(Random& random, const Grid& grid, unsigned seed) {
  const int m = extent(random, 0), n = extent(random, 0);
  const char uplo = random.of({'U', 'L'}), op = random.of({'N', 'T', 'C'});
  Part<T> A(random, grid, op == 'N' ? m : n, op == 'N' ? n : m, seed);
  Part<T> C(random, grid, m, n, seed + 1);
  const T alpha = random.of({T(1), T(-0.5F), T(0)}), beta = random.of({T(0), T(1), T(0.25F)});
  if (beta == T(0)) C.fill(std::numeric_limits<double>::quiet_NaN());
  on_both_sides<T>(described<T>("tradd", grid, m, n, 0), C, 8, [&](Side which, T* elements) {
    routine<Tradd<T>, T>(which, "tradd")(&uplo, &op, &m, &n, &alpha, A.elements.data(), &A.i, &A.j,
                                         A.descriptor.data(), &beta, elements, &C.i, &C.j,
                                         C.descriptor.data());
  });
}

template <class T>
void random_triangles(Random& random, const Grid& grid, unsigned seed) {
  random_symm<T>(random, grid, seed, false);
  random_update<T, T>(random, grid, seed, extent(random, 0));
  if constexpr (is_complex_type<T>) {
    random_symm<T>(random, grid, seed, true);
    random_update<T, typename T::value_type>(random, grid, seed, extent(random, 0));
  }
  random_trmm<T>(random, grid, seed);
  random_tradd<T>(random, grid, seed);
}
