#pragma once

#include "mm/lu/factorise_plan.hpp"
#include "mm/qr/qr_plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// A table of the first 12 plans in their order, and the number of further plans.
/// @param all  the number of all plans; `plans` may lack some at its end.
std::string plan_table(const std::vector<FactorisePlan>& plans, std::size_t all);
std::string plan_table(const std::vector<QrPlan>& plans, std::size_t all);

}  // namespace cuboid::detail::tools
