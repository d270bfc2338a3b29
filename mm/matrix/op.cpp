#include <cuboid/layout.hpp>

namespace cuboid {

std::string_view to_string(Op op) {
  switch (op) {
    case Op::none: return "none";
    case Op::transpose: return "transpose";
    case Op::conjugate_transpose: return "conjugate transpose";
  }
  return "unknown";
}

}  // namespace cuboid
