#include "bindings/scalapack/calls/choices.hpp"

#include <bit>
#include <cstdint>

namespace cuboid::detail::scalapack {

std::string_view name_of(Routine routine) {
  switch (routine) {
    case Routine::gemm: return "gemm";
    case Routine::symm: return "symm, hemm";
    case Routine::syrk: return "syrk, herk";
    case Routine::syr2k: return "syr2k, her2k";
    case Routine::trmm: return "trmm";
    case Routine::add: return "tran, geadd, tradd";
    case Routine::copy: return "gemr2d";
    case Routine::trsm: return "trsm";
    case Routine::getrf: return "getrf";
    case Routine::potrf: return "potrf";
    case Routine::trtri: return "trtri";
    case Routine::potri: return "potri";
    case Routine::getri: return "getri";
    case Routine::geqrf: return "geqrf";
    case Routine::ormqr: return "ormqr, unmqr";
    case Routine::gels: return "gels";
  }
  return "";
}

int logarithm(std::int64_t extent) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent))) - 1;
}

}  // namespace cuboid::detail::scalapack
