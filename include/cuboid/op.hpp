#pragma once

#include <cuboid/export.hpp>

#include <string_view>

namespace cuboid {

/// The operation op(A) applied to an operand: A, Aᵀ, or Aᴴ (equal to Aᵀ for real types).
enum class Op { none, transpose, conjugate_transpose };

/// "none", "transpose", "conjugate transpose".
CUBOID_API std::string_view to_string(Op op);

}  // namespace cuboid
