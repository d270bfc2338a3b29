#pragma once

#include "models/factorisation/cholesky_schedule.hpp"
#include "models/factorisation/lu_costs.hpp"
#include "models/factorisation/lu_seconds.hpp"

#include <cstddef>

namespace cuboid::detail {

/// As lu_communication(), for Cholesky: of LuCommunication's steps it has the panels and the
/// multicasts, of L along rows and transposed along columns.
LuCommunication cholesky_communication(const CholeskySchedule& schedule);

/// As lu_seconds(), for Cholesky: the next panel is factorised, and travels along rows and then
/// columns, while the ranks update the triangle, half of what LU updates.
LuSecondsEstimate cholesky_seconds(const CholeskySchedule& schedule, const LuRates& rates);

}  // namespace cuboid::detail
