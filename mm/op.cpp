#include <cuboid/base/error.hpp>
#include <cuboid/mm/op.hpp>

#include <fmt/format.h>

namespace cuboid {

std::string_view to_string(Op op) {
  switch (op) {
    case Op::none: return "none";
    case Op::transpose: return "transpose";
    case Op::conjugate_transpose: return "conjugate transpose";
  }
  return "unknown";
}

char letter(Op op) {
  switch (op) {
    case Op::none: return 'N';
    case Op::transpose: return 'T';
    case Op::conjugate_transpose: return 'C';
  }
  return '?';
}

Op parse_op(char letter) {
  switch (letter) {
    case 'N':
    case 'n': return Op::none;
    case 'T':
    case 't': return Op::transpose;
    case 'C':
    case 'c': return Op::conjugate_transpose;
    default: break;
  }
  throw Error(ErrorCode::parse,
              fmt::format("operation '{}': give N (as it is), T (transpose) or C (conjugate "
                          "transpose)",
                          letter));
}

}  // namespace cuboid
