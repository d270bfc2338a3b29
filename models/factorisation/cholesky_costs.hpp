#pragma once

#include "models/factorisation/cholesky_schedule.hpp"
#include "models/factorisation/lu_costs.hpp"
#include "models/factorisation/lu_seconds.hpp"

#include <cstddef>

namespace cuboid::detail {

/// lu_communication() for Cholesky. Of LuCommunication's steps it has the panels and the
/// multicasts: of L along rows, and of its transpose along columns.
LuCommunication cholesky_communication(const CholeskySchedule& schedule);

/// lu_seconds() for Cholesky. The next panel is factorised, and travels along rows and then
/// columns, while the ranks update the triangle, which is half of what LU updates.
LuSecondsEstimate cholesky_seconds(const CholeskySchedule& schedule, const LuRates& rates);

/// A lower bound of cholesky_seconds().total() that takes less time to find: of at most `stretches`
/// steps, a divisor of PanelSchedule::most_visited. No step takes longer than the step before; but
/// links that earn burst credit make the steps between cheaper, and with such links it is 0.
double cholesky_least_seconds(const CholeskySchedule& schedule, const LuRates& rates,
                              std::int64_t stretches);

/// A lower bound on the words that some rank receives in a Cholesky factorisation, as an order of
/// magnitude: the leading term n³/(3·P·√M), with M words of memory per rank (Kwasniewski et al.
/// 2021). 0 with one rank.
double cholesky_least_words(double n, double ranks, double memory);

}  // namespace cuboid::detail
