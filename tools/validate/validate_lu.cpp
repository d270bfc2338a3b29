#include "tools/validate/validate_lu.hpp"

#include <cuboid/barrier.hpp>
#include <cuboid/matrix.hpp>

#include "tools/command/repetitions.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail::tools {

std::vector<FactorisePlan> factorisations_to_try(const Communicator& communicator, std::int64_t n,
                                                 Pivoting pivoting) {
  const auto all =
      factorise_candidates(factorise_request<double>(communicator, n, n), {.pivoting = pivoting});
  std::vector<FactorisePlan> tried;
  for (const FactorisePlan& plan : all) {
    const auto known = std::ranges::find_if(tried, [&](const FactorisePlan& other) {
      return other.grid.layers() == plan.grid.layers();
    });
    const bool neighbour = known != tried.end() && to_string(known->grid) == to_string(plan.grid) &&
                           (plan.block == 2 * known->block || 2 * plan.block == known->block);
    if (known == tried.end() || neighbour) tried.push_back(plan);
  }
  return tried;
}

std::string describe(const FactorisePlan& plan, Pivoting pivoting) {
  return fmt::format("{} on {}, blocks of {}",
                     pivoting == Pivoting::none ? "no pivoting" : to_string(pivoting),
                     to_string(plan.grid), plan.block);
}

std::vector<double> measured_factorisation(const Communicator& communicator, std::int64_t n,
                                           const LocalKernels& kernels, const FactorisePlan& plan,
                                           Pivoting pivoting, int times) {
  Matrix<double> A(communicator, factorisation_layout(n, n, plan));
  A.fill_random(1);
  const auto meet = [&] { barrier(communicator); };
  const auto run = [&] { factorise_on_plan(A, kernels, plan, pivoting); };
  warm_up(communicator, meet, run);
  std::vector<double> seconds;
  repeat(meet, run, times, seconds);
  return of_slowest(communicator, std::move(seconds));
}

}  // namespace cuboid::detail::tools
