#pragma once

// Random calls of the routines that factorise by QR, and use the factors.

#include "random_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

/// A call that asks for the length of WORK, a call with just as much, and a call of which one rank
/// has less.
/// @param suffices  whether the native routine can do with what it asks for.
/// @param call  the routine on a side with these elements of C, WORK, LWORK and INFO.
template <class T, class Call>
void with_workspaces(const std::string& what, const Grid& grid, const Part<T>& C, double scale,
                     bool suffices, const Call& call) {
  const auto at = [](Side side) { return side == Side::program ? std::size_t{0} : std::size_t{1}; };
  std::array<T, 2> needed{};
  std::array<int, 2> info{};
  on_both_sides<T>(what + ", query", C, scale, [&](Side side, T* elements) {
    const int query = -1;
    call(side, elements, &needed[at(side)], &query, &info[at(side)]);
  });
  if (needed[0] != needed[1] || info != std::array{0, 0}) differ(what + ": a query");
  const int exact = static_cast<int>(std::abs(needed[1]));
  const auto call_with = [&](const std::string& which, int length) {
    on_both_sides<T>(what + which, C, scale, [&](Side side, T* elements) {
      std::vector<T> work(static_cast<std::size_t>(exact) + 1, T(-99));
      call(side, elements, work.data(), &length, &info[at(side)]);
      if (work.back() != T(-99)) differ(what + which + ": beyond its end");
      if (side == Side::program && info[0] == 0 && work.front() != needed[0])
        differ(what + which + ": WORK(1)");
    });
    if (info[0] != info[1]) differ(what + which + ": info");
  };
  if (suffices) call_with(", the least workspace", exact);
  call_with(", too short on one rank", grid.row == 0 && grid.column == 0 ? exact - 1 : exact);
  if (info[1] == 0) differ(what + ": no error of the native routine");
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
  std::vector<T> other_taus(room);
  with_workspaces<T>(described<T>("geqrf", grid, m, n, 0), grid, A, scale, true,
                     [&](Side side, T* elements, T* space, const int* its_length, int* its_info) {
                       routine<Geqrf<T>, T>(side, "geqrf")(&m, &n, elements, &A.i, &A.j,
                                                           A.descriptor.data(), other_taus.data(),
                                                           space, its_length, its_info);
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
  with_workspaces<T>(described<T>(name.c_str(), grid, m, n, k), grid, C, 100.0 * (30 + m), true,
                     [&](Side side, T* elements, T* space, const int* its_length, int* its_info) {
                       routine<Ormqr<T>, T>(side, name.c_str())(
                           &left, &op, &m, &n, &k, factors.elements.data(), &A.i, &A.j,
                           A.descriptor.data(), taus_native.data(), elements, &C.i, &C.j,
                           C.descriptor.data(), space, its_length, its_info, 1, 1);
                     });

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
  // p?gels asks for less than its call of p?ormqr needs, so that ScaLAPACK's own may fail.
  with_workspaces<T>(described<T>("gels", grid, m, n, n), grid, B, scale, false,
                     [&](Side side, T* elements, T* space, const int* its_length, int* its_info) {
                       std::vector<T> copied = S.elements;
                       routine<Gels<T>, T>(side, "gels")(&op, &m, &n, &n, copied.data(), &S.i, &S.j,
                                                         S.descriptor.data(), elements, &B.i, &B.j,
                                                         B.descriptor.data(), space, its_length,
                                                         its_info, 1);
                     });
}
