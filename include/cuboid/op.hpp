#pragma once

#include <cuboid/export.hpp>

#include <string_view>

namespace cuboid {

/// What is applied to a matrix on its way: nothing, Aᵀ, or Aᴴ (which is Aᵀ for real types).
enum class Op { none, transpose, conjugate_transpose };

/// "none", "transpose", "conjugate transpose".
CUBOID_API std::string_view to_string(Op op);

}  // namespace cuboid
