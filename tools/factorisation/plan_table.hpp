#pragma once

#include "mm/lu/factorise_plan.hpp"
#include "mm/qr/qr_plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// A table of plans in their order, the first 12 of them, and how many more there are.
/// @param all  how many plans there are, of which some may be left out of `plans` at its end.
std::string plan_table(const std::vector<FactorisePlan>& plans, std::size_t all);
std::string plan_table(const std::vector<QrPlan>& plans, std::size_t all);

}  // namespace cuboid::detail::tools
