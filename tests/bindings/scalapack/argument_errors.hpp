#pragma once

// Small calls with each argument made wrong, one after the other and two at once: which one is
// reported, and that nothing is written, must not differ from the native ScaLAPACK.

#include "random_parts.hpp"

#include <array>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

struct Arguments {
  std::vector<char> letters;        ///< SIDE, UPLO, TRANS and DIAG
  std::vector<int> extents;         ///< M, N and K
  std::vector<Part<double>> parts;  ///< the last one is written
};

using CallWith = std::function<void(Side, const Arguments&, double* written)>;

inline std::vector<std::function<void(Arguments&)>> mistakes_in(const Arguments& right) {
  std::vector<std::function<void(Arguments&)>> mistakes;
  for (std::size_t at = 0; at < right.letters.size(); ++at)
    mistakes.emplace_back([=](Arguments& all) { all.letters[at] = 'X'; });
  for (std::size_t at = 0; at < right.extents.size(); ++at)
    mistakes.emplace_back([=](Arguments& all) { all.extents[at] = -1; });
  for (std::size_t at = 0; at < right.parts.size(); ++at) {
    mistakes.emplace_back([=](Arguments& all) { all.parts[at].i = 0; });
    mistakes.emplace_back([=](Arguments& all) { all.parts[at].j = -3; });
    mistakes.emplace_back([=](Arguments& all) { all.parts[at].i += 900; });
    mistakes.emplace_back([=](Arguments& all) { all.parts[at].j += 900; });
    for (const std::size_t entry : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
      mistakes.emplace_back([=](Arguments& all) { all.parts[at].descriptor[entry] = -2; });
      if (entry == 4 || entry == 5 || entry == 8)
        mistakes.emplace_back([=](Arguments& all) { all.parts[at].descriptor[entry] = 0; });
    }
  }
  return mistakes;
}

inline void errors_of(const std::string& name, const Arguments& right, const CallWith& call) {
  const auto mistakes = mistakes_in(right);
  const auto check = [&](const std::string& what, const Arguments& wrong) {
    on_both_sides<double>(what + " in " + name, wrong.parts.back(), 100,
                          [&](Side side, double* written) { call(side, wrong, written); });
  };
  for (std::size_t number = 0; number < mistakes.size(); ++number) {
    Arguments wrong = right;
    mistakes[number](wrong);
    check("mistake " + std::to_string(number), wrong);
    const std::size_t second = (5 * number + 3) % mistakes.size();
    mistakes[second](wrong);
    check("mistakes " + std::to_string(number) + " and " + std::to_string(second), wrong);
  }
}

/// Every argument of every routine that the drop-in takes over, but for p?gemr2d, which ends the
/// program. All matrices are 8×8.
inline void all_argument_errors(const Grid& grid) {
  Random random(5);
  const auto parts = [&](unsigned count, bool in_blocks = false) {
    std::vector<Part<double>> made;
    for (unsigned number = 1; number <= count; ++number)
      made.emplace_back(random, grid, 8, 8, number, in_blocks);
    return made;
  };
  const double alpha = 1, beta = 1;
  using D = double;
  errors_of("pdgemm", {{'N', 'N'}, {8, 8, 8}, parts(3)}, [&](Side side, const auto& all, D* C) {
    const auto& [a, b, c] = std::tie(all.parts[0], all.parts[1], all.parts[2]);
    routine<Gemm<D>, D>(side, "gemm")(
        &all.letters[0], &all.letters[1], &all.extents[0], &all.extents[1], &all.extents[2], &alpha,
        a.elements.data(), &a.i, &a.j, a.descriptor.data(), b.elements.data(), &b.i, &b.j,
        b.descriptor.data(), &beta, C, &c.i, &c.j, c.descriptor.data());
  });
  errors_of("pdsymm", {{'L', 'U'}, {8, 8}, parts(3)}, [&](Side side, const auto& all, D* C) {
    const auto& [a, b, c] = std::tie(all.parts[0], all.parts[1], all.parts[2]);
    routine<Symm<D>, D>(side, "symm")(
        &all.letters[0], &all.letters[1], &all.extents[0], &all.extents[1], &alpha,
        a.elements.data(), &a.i, &a.j, a.descriptor.data(), b.elements.data(), &b.i, &b.j,
        b.descriptor.data(), &beta, C, &c.i, &c.j, c.descriptor.data());
  });
  errors_of("pdsyr2k", {{'U', 'N'}, {8, 8}, parts(3)}, [&](Side side, const auto& all, D* C) {
    const auto& [a, b, c] = std::tie(all.parts[0], all.parts[1], all.parts[2]);
    routine<Syr2k<D, D>, D>(side, "syr2k")(
        &all.letters[0], &all.letters[1], &all.extents[0], &all.extents[1], &alpha,
        a.elements.data(), &a.i, &a.j, a.descriptor.data(), b.elements.data(), &b.i, &b.j,
        b.descriptor.data(), &beta, C, &c.i, &c.j, c.descriptor.data());
  });
  errors_of("pdsyrk", {{'U', 'N'}, {8, 8}, parts(2)}, [&](Side side, const auto& all, D* C) {
    const auto& [a, c] = std::tie(all.parts[0], all.parts[1]);
    routine<Syrk<D, D>, D>(side, "syrk")(&all.letters[0], &all.letters[1], &all.extents[0],
                                         &all.extents[1], &alpha, a.elements.data(), &a.i, &a.j,
                                         a.descriptor.data(), &beta, C, &c.i, &c.j,
                                         c.descriptor.data());
  });
  errors_of("pdgeadd", {{'N'}, {8, 8}, parts(2)}, [&](Side side, const auto& all, D* C) {
    const auto& [a, c] = std::tie(all.parts[0], all.parts[1]);
    routine<Geadd<D>, D>(side, "geadd")(&all.letters[0], &all.extents[0], &all.extents[1], &alpha,
                                        a.elements.data(), &a.i, &a.j, a.descriptor.data(), &beta,
                                        C, &c.i, &c.j, c.descriptor.data());
  });
  errors_of("pdtradd", {{'U', 'N'}, {8, 8}, parts(2)}, [&](Side side, const auto& all, D* C) {
    const auto& [a, c] = std::tie(all.parts[0], all.parts[1]);
    routine<Tradd<D>, D>(side, "tradd")(&all.letters[0], &all.letters[1], &all.extents[0],
                                        &all.extents[1], &alpha, a.elements.data(), &a.i, &a.j,
                                        a.descriptor.data(), &beta, C, &c.i, &c.j,
                                        c.descriptor.data());
  });
  errors_of("pdtran", {{}, {8, 8}, parts(2)}, [&](Side side, const auto& all, D* C) {
    const auto& [a, c] = std::tie(all.parts[0], all.parts[1]);
    routine<Tran<D>, D>(side, "tran")(&all.extents[0], &all.extents[1], &alpha, a.elements.data(),
                                      &a.i, &a.j, a.descriptor.data(), &beta, C, &c.i, &c.j,
                                      c.descriptor.data());
  });
  for (const char* const name : {"trsm", "trmm"}) {
    const Arguments right{{'L', 'U', 'N', 'N'}, {8, 8}, parts(2)};
    errors_of(std::string("pd") + name, right, [&](Side side, const auto& all, D* B) {
      const auto& [a, b] = std::tie(all.parts[0], all.parts[1]);
      routine<Trsm<D>, D>(side, name)(&all.letters[0], &all.letters[1], &all.letters[2],
                                      &all.letters[3], &all.extents[0], &all.extents[1], &alpha,
                                      a.elements.data(), &a.i, &a.j, a.descriptor.data(), B, &b.i,
                                      &b.j, b.descriptor.data());
    });
  }
  std::array<int, 2> info{};  // of the program and native
  const auto info_of = [&](Side side) { return &info[side == Side::program ? 0 : 1]; };
  std::vector<int> pivots(900);
  errors_of("pdgetrf", {{}, {8, 8}, parts(1, true)}, [&](Side side, const auto& all, D* A) {
    const auto& a = all.parts[0];
    routine<Getrf<D>, D>(side, "getrf")(&all.extents[0], &all.extents[1], A, &a.i, &a.j,
                                        a.descriptor.data(), pivots.data(), info_of(side));
    if (side == Side::program && info[0] != info[1]) differ("info of a mistake in pdgetrf");
  });
  std::vector<D> taus(900), work(90000);
  const int length = static_cast<int>(work.size());
  errors_of("pdgeqrf", {{}, {8, 8}, parts(1, true)}, [&](Side side, const auto& all, D* A) {
    const auto& a = all.parts[0];
    routine<Geqrf<D>, D>(side, "geqrf")(&all.extents[0], &all.extents[1], A, &a.i, &a.j,
                                        a.descriptor.data(), taus.data(), work.data(), &length,
                                        info_of(side));
    if (side == Side::program && info[0] != info[1]) differ("info of a mistake in pdgeqrf");
  });
  errors_of("pdormqr", {{'L', 'N'}, {8, 8, 8}, parts(2, true)},
            [&](Side side, const auto& all, D* C) {
              const auto& [a, c] = std::tie(all.parts[0], all.parts[1]);
              routine<Ormqr<D>, D>(side, "ormqr")(
                  &all.letters[0], &all.letters[1], &all.extents[0], &all.extents[1],
                  &all.extents[2], a.elements.data(), &a.i, &a.j, a.descriptor.data(), taus.data(),
                  C, &c.i, &c.j, c.descriptor.data(), work.data(), &length, info_of(side), 1, 1);
              if (side == Side::program && info[0] != info[1])
                differ("info of a mistake in pdormqr");
            });
  errors_of("pdpotrf", {{'U'}, {8}, parts(1, true)}, [&](Side side, const auto& all, D* A) {
    const auto& a = all.parts[0];
    routine<Potrf<D>, D>(side, "potrf")(&all.letters[0], &all.extents[0], A, &a.i, &a.j,
                                        a.descriptor.data(), info_of(side), 1);
    if (side == Side::program && info[0] != info[1]) differ("info of a mistake in pdpotrf");
  });
  // ScaLAPACK's own inversions divide by the blocks' extents before they look at them.
  const auto may_divide_by_blocks = [](const Part<D>& a) {
    return a.descriptor[4] != 0 && a.descriptor[5] != 0;
  };
  errors_of("pdpotri", {{'U'}, {8}, parts(1, true)}, [&](Side side, const auto& all, D* A) {
    const auto& a = all.parts[0];
    if (!may_divide_by_blocks(a)) return;
    routine<Potrf<D>, D>(side, "potri")(&all.letters[0], &all.extents[0], A, &a.i, &a.j,
                                        a.descriptor.data(), info_of(side), 1);
    if (side == Side::program && info[0] != info[1]) differ("info of a mistake in pdpotri");
  });
  errors_of("pdtrtri", {{'U', 'N'}, {8}, parts(1, true)}, [&](Side side, const auto& all, D* A) {
    const auto& a = all.parts[0];
    if (!may_divide_by_blocks(a)) return;
    routine<Trtri<D>, D>(side, "trtri")(&all.letters[0], &all.letters[1], &all.extents[0], A, &a.i,
                                        &a.j, a.descriptor.data(), info_of(side), 1, 1);
    if (side == Side::program && info[0] != info[1]) differ("info of a mistake in pdtrtri");
  });
  std::vector<int> integers(900);
  const int integers_length = static_cast<int>(integers.size());
  for (std::size_t row = 0; row < pivots.size(); ++row) pivots[row] = static_cast<int>(row) + 1;
  errors_of("pdgetri", {{}, {8}, parts(1, true)}, [&](Side side, const auto& all, D* A) {
    const auto& a = all.parts[0];
    if (!may_divide_by_blocks(a)) return;
    routine<Getri<D>, D>(side, "getri")(&all.extents[0], A, &a.i, &a.j, a.descriptor.data(),
                                        pivots.data(), work.data(), &length, integers.data(),
                                        &integers_length, info_of(side));
    if (side == Side::program && info[0] != info[1]) differ("info of a mistake in pdgetri");
  });
}
