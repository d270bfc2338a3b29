#include "bindings/scalapack_choice/choices.hpp"

#include <bit>
#include <cstdint>

namespace cuboid::detail::scalapack {

std::string_view name_of(Routine routine) {
  switch (routine) {
    case Routine::gemm: return "gemm";
    case Routine::add: return "tran, geadd";
    case Routine::copy: return "gemr2d";
    case Routine::trsm: return "trsm";
    case Routine::getrf: return "getrf";
    case Routine::potrf: return "potrf";
  }
  return "";
}

int logarithm(std::int64_t extent) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent))) - 1;
}

}  // namespace cuboid::detail::scalapack
