#include "tools/validate/validate_lu.hpp"

#include <cuboid/barrier.hpp>
#include <cuboid/matrix.hpp>

#include "mm/plan/rates.hpp"
#include "tools/command/repetitions.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

bool alike(const FactorisePlan& one, const FactorisePlan& other) {
  return one.block == other.block && one.grid == other.grid;
}

}  // namespace

std::vector<FactorisePlan> factorisations_to_try(const Communicator& communicator, std::int64_t n,
                                                 Pivoting pivoting, const LocalGemm& gemm) {
  FactoriseRequest request = factorise_request<double>(communicator, FactorisationKind::lu, n, n);
  const FactoriseOptions options{.pivoting = pivoting};
  const FactorisePlan chosen = plan_factorisation(request, options);
  request.rates.multiplications_per_second =
      gemm_rate<double>(communicator, gemm) * request.rates.ranks_per_core;
  const auto all = factorise_candidates(request, options);
  std::vector<FactorisePlan> tried{
      *std::ranges::find_if(all, [&](const FactorisePlan& plan) { return alike(plan, chosen); })};
  for (const FactorisePlan& plan : all) {
    const auto known = std::ranges::find_if(tried, [&](const FactorisePlan& other) {
      return other.grid.layers() == plan.grid.layers();
    });
    const bool neighbour = known != tried.end() && known->grid == plan.grid &&
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
