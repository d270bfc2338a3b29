#pragma once

#include "bindings/dropin/online_trial.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace cuboid::detail::scalapack {

/// The routines that the drop-in may take over.
enum class Routine {
  gemm,
  symm,
  syrk,
  syr2k,
  trmm,
  add,
  copy,
  trsm,
  getrf,
  potrf,
  trtri,
  potri,
  getri,
  geqrf,
  ormqr,
  gels
};

/// "p?gemm", …
std::string_view name_of(Routine routine);

/// A class of similar calls, which share one trial.
struct CallClass {
  Routine routine = Routine::gemm;
  char type = 'd';                  ///< s, d, c or z
  std::array<int, 2> grid = {};     ///< numbers of rows and columns
  std::array<int, 3> extents = {};  ///< binary logarithms of m, n and k
  int block = 0;                    ///< binary logarithm of the blocks' length
  bool transposed = false;

  auto operator<=>(const CallClass&) const = default;
};

/// The binary logarithm of an extent, rounded down.
int logarithm(std::int64_t extent);

/// The knowledge of the contexts of the same processes about which side is faster. Equal on all of
/// these processes.
struct Choices {
  std::map<CallClass, drop_in::OnlineTrial> trials;
  std::set<Routine> called;
  double agreed_seconds = 0;  ///< seconds of calls that were handed on, as the ranks last agreed
  double local_seconds = 0;   ///< seconds of such calls on this rank since then
  std::size_t calls = 0;
  bool hopeless = false;
};

}  // namespace cuboid::detail::scalapack
