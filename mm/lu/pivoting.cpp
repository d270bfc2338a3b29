#include <cuboid/factorise.hpp>

namespace cuboid {

std::string_view to_string(Pivoting pivoting) {
  switch (pivoting) {
    case Pivoting::none: return "none";
    case Pivoting::tournament: return "tournament";
    case Pivoting::partial: return "partial";
  }
  return "none";
}

}  // namespace cuboid
