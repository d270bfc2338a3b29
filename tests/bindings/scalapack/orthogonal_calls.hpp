#pragma once

// Random calls of the routines that factorise by QR, and use the factors.

#include "random_parts.hpp"

#include <algorithm>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

/// As much as any of the routines asks of matrices as long as these.
template <class T>
std::vector<T> orthogonal_workspace() {
  const auto all = static_cast<std::size_t>(4 * longest + 100);
  return std::vector<T>(all * all);
}

template <class T>
void random_orthogonal(Random& random, const Grid& grid, unsigned seed) {
  constexpr bool is_complex = !std::is_floating_point_v<T>;
  std::vector<T> work = orthogonal_workspace<T>();
  const int length = static_cast<int>(work.size());
  const int m = extent(random, 1), n = extent(random, 1), k = std::min(m, n);
  const double scale = 1000.0 * (30 + m);
  Part<T> A(random, grid, m, n, seed, true);
  const auto room = static_cast<std::size_t>(A.descriptor[3] + A.descriptor[5]);
  std::vector<T> taus(room), taus_native(room);
  int info = -1, info_native = -1;
  const auto of = [&](Side side, auto& ours, auto& theirs) {
    return side == Side::program ? &ours : &theirs;
  };
  Part<T> factors = A;
  on_both_sides<T>(described<T>("geqrf", grid, m, n, 0), A, scale, [&](Side side, T* elements) {
    routine<Geqrf<T>, T>(side, "geqrf")(&m, &n, elements, &A.i, &A.j, A.descriptor.data(),
                                        of(side, taus, taus_native)->data(), work.data(), &length,
                                        of(side, info, info_native));
    if (side == Side::native) std::copy_n(elements, A.elements.size(), factors.elements.begin());
  });
  for (int column = 0; column < k; ++column) {
    const int local = A.local_column(grid, column);
    if (local < 0) continue;
    const auto at = static_cast<std::size_t>(local);
    if (std::abs(taus[at] - taus_native[at]) >
        scale * static_cast<double>(std::numeric_limits<decltype(std::abs(T()))>::epsilon()))
      differ(described<T>("geqrf", grid, m, n, 0) + ": tau");
  }
  if (info != info_native) differ(described<T>("geqrf", grid, m, n, 0) + ": info");

  // C begins where A does: ScaLAPACK wants it so.
  const char op = random.of({'N', is_complex ? 'C' : 'T'});
  Part<T> C(random, grid, m, n, seed + 1, true);
  C.i = A.i, C.j = A.j, C.descriptor = A.descriptor, C.elements = A.elements;
  const std::string name = is_complex ? "unmqr" : "ormqr";
  const char left = 'L';
  on_both_sides<T>(
      described<T>(name.c_str(), grid, m, n, k), C, 100.0 * (30 + m), [&](Side side, T* elements) {
        routine<Ormqr<T>, T>(side, name.c_str())(
            &left, &op, &m, &n, &k, factors.elements.data(), &A.i, &A.j, A.descriptor.data(),
            taus_native.data(), elements, &C.i, &C.j, C.descriptor.data(), work.data(), &length,
            of(side, info, info_native), 1, 1);
      });
  if (info != info_native) differ(described<T>(name.c_str(), grid, m, n, k) + ": info");

  // Of full rank by a heavy diagonal; the right-hand sides, of max(m, n) rows, begin where A does.
  const int longer = std::max(m, n);
  Part<T> S(random, grid, longer, longer, seed + 2, true);
  for (int column = 0; column < k; ++column) {
    if (T* const element = S.at(grid, column, column)) *element = T(static_cast<float>(m + n));
  }
  Part<T> B = S;
  std::vector<T> factorised = S.elements;
  on_both_sides<T>(described<T>("gels", grid, m, n, n), B, scale, [&](Side side, T* elements) {
    std::vector<T> copied = S.elements;
    routine<Gels<T>, T>(side, "gels")(
        &op, &m, &n, &n, copied.data(), &S.i, &S.j, S.descriptor.data(), elements, &B.i, &B.j,
        B.descriptor.data(), work.data(), &length, of(side, info, info_native), 1);
    if (side == Side::native) {
      factorised = copied;
    } else {
      compare(described<T>("gels", grid, m, n, n) + ": factors", S.elements, factorised, copied,
              scale * (m + n));
    }
  });
  if (info != info_native) differ(described<T>("gels", grid, m, n, n) + ": info");
}
