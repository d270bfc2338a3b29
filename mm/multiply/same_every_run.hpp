#pragma once

#include <cuboid/multiply_options.hpp>

namespace cuboid::detail {

/// Options of the products in solves and inverses, which give the same bits in every run.
inline const MultiplyOptions same_every_run{.planned_by_usual_rate = true};

}  // namespace cuboid::detail
