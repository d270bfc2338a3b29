#pragma once

#include "bindings/mpi_choice/contest.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace cuboid::detail::scalapack {

/// The routines that may be taken over.
enum class Routine { gemm, symm, syrk, syr2k, trmm, add, copy, trsm, getrf, potrf };

/// "p?gemm", …
std::string_view name_of(Routine routine);

/// Calls that are alike: those of one kind share what was found of them.
struct CallClass {
  Routine routine = Routine::gemm;
  char type = 'd';                  ///< s, d, c or z
  std::array<int, 2> grid = {};     ///< rows and columns
  std::array<int, 3> extents = {};  ///< binary logarithms of m, n and k
  int block = 0;                    ///< the same of the blocks' length
  bool transposed = false;

  auto operator<=>(const CallClass&) const = default;
};

/// The binary logarithm of an extent, rounded down.
int logarithm(std::int64_t extent);

/// What the contexts of the same processes know about who is quicker. The same on all of them.
struct Choices {
  std::map<CallClass, drop_in::Contest> contests;
  std::set<Routine> called;
  double agreed_seconds = 0;  ///< of calls that were handed on, as the ranks agreed
  double local_seconds = 0;   ///< on this rank, since
  std::size_t calls = 0;
  bool hopeless = false;
};

}  // namespace cuboid::detail::scalapack
