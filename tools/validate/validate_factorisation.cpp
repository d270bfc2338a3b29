#include "tools/validate/validate_factorisation.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/qr.hpp>

#include "mm/lu/lu_outcome.hpp"
#include "mm/plan/rates.hpp"
#include "mm/qr/qr_outcome.hpp"
#include "mm/qr/qr_plan.hpp"
#include "tools/command/over_ranks.hpp"
#include "tools/command/timed_runs.hpp"
#include "tools/factorisation/positive_definite.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// The chosen plan, the soonest plan of each further class of grids, and for each of them those on
/// the same grid with half and with twice its block.
/// @param all  soonest first, the chosen plan's grid and block among them.
template <class Plan, class ClassOf>
std::vector<Plan> plans_to_try(const std::vector<Plan>& all, const Plan& chosen,
                               const ClassOf& class_of) {
  std::vector<Plan> tried{*std::ranges::find_if(all, [&](const Plan& plan) {
    return plan.block == chosen.block && plan.grid == chosen.grid;
  })};
  for (const Plan& plan : all) {
    const auto known = std::ranges::find_if(
        tried, [&](const Plan& other) { return class_of(other.grid) == class_of(plan.grid); });
    const bool neighbour = known != tried.end() && known->grid == plan.grid &&
                           (plan.block == 2 * known->block || 2 * plan.block == known->block);
    if (known == tried.end() || neighbour) tried.push_back(plan);
  }
  return tried;
}

/// @param factorise  returns the factors.
template <class Factorise>
FactorisationRuns measured_runs(const Communicator& communicator, int members, int times,
                                const Factorise& factorise) {
  double words = 0;
  const auto meet = [&] { barrier(communicator); };
  const auto run = [&] { words = factorise().traffic().total().words; };
  warm_up(communicator, meet, run);
  std::vector<double> seconds;
  repeat(meet, run, times, seconds);
  const auto all = of_all_ranks(communicator, words);
  return {.seconds = of_slowest(communicator, std::move(seconds)),
          .words = std::accumulate(all.begin(), all.end(), 0.0) / members};
}

/// The request with the measured rate of gemm in place of the typical one.
FactoriseRequest with_measured_gemm(const Communicator& communicator, FactoriseRequest request,
                                    const LocalGemm& gemm) {
  request.rates.multiplications_per_second =
      gemm_rate<double>(communicator, gemm) * request.rates.ranks_per_core;
  return request;
}

template <class Plan>
FactorisationTrial trial_of(const FactoriseRequest& request, const Plan& plan, const Plan& chosen,
                            std::string operation, const std::string& method) {
  return {
      .operation = std::move(operation),
      .algorithm = fmt::format("{}on {}, blocks of {}", method, to_string(plan.grid), plan.block),
      .bytes = static_cast<std::size_t>(request.m * request.n) * sizeof(double),
      .predicted_seconds = plan.seconds.total(),
      .predicted_words = plan.communication.total().words,
      .chosen = plan.grid == chosen.grid && plan.block == chosen.block,
      .run = {}};
}

void add_layered(const Communicator& communicator, FactorisationKind kind, std::int64_t n,
                 const LocalKernels& kernels, Pivoting pivoting,
                 std::vector<FactorisationTrial>& trials) {
  const bool cholesky = kind == FactorisationKind::cholesky;
  const FactoriseRequest request = factorise_request<double>(communicator, kind, n, n);
  const FactoriseOptions options{.pivoting = pivoting};
  const FactorisePlan chosen = plan_factorisation(request, options);
  const auto all =
      factorise_candidates(with_measured_gemm(communicator, request, kernels.gemm), options);
  const bool unpivoted = pivoting == Pivoting::none;
  const char* const operation = cholesky ? "cholesky" : unpivoted ? "lu-unpivoted" : "lu";
  const std::string method =
      cholesky ? "" : fmt::format("{} ", unpivoted ? "no pivoting" : to_string(pivoting));
  const auto layers = [](const LayeredGrid& grid) { return grid.layers(); };
  for (const FactorisePlan& plan : plans_to_try(all, chosen, layers)) {
    trials.push_back(trial_of(request, plan, chosen, operation, method));
    trials.back().run = [&communicator, n, kernels, plan, pivoting, cholesky](int times) {
      Matrix<double> A(communicator, factorisation_layout(n, n, plan));
      if (cholesky) {
        fill_positive_definite(A, 1);
      } else {
        A.fill_random(1);
      }
      return measured_runs(communicator, plan.grid.size(), times, [&] {
        return cholesky ? cholesky_on_plan(A, kernels, plan, Triangle::lower)
                        : factorise_on_plan(A, kernels, plan, pivoting);
      });
    };
  }
}

void add_qr(const Communicator& communicator, std::int64_t m, std::int64_t n,
            const LocalKernels& kernels, const char* operation,
            std::vector<FactorisationTrial>& trials) {
  const FactoriseRequest request =
      factorise_request<double>(communicator, FactorisationKind::qr, m, n);
  const QrPlan chosen = plan_qr(request, {});
  const auto all = qr_candidates(with_measured_gemm(communicator, request, kernels.gemm), {});
  const auto aspect = [](const GridShape& grid) {
    return grid.rows() < grid.columns() ? -1 : grid.rows() > grid.columns() ? 1 : 0;
  };
  for (const QrPlan& plan : plans_to_try(all, chosen, aspect)) {
    trials.push_back(trial_of(request, plan, chosen, operation, ""));
    trials.back().run = [&communicator, m, n, kernels, plan](int times) {
      Matrix<double> A(communicator, plan.layout(m, n));
      A.fill_random(1);
      return measured_runs(communicator, plan.grid.size(), times,
                           [&] { return qr_on_plan(A, kernels, plan); });
    };
  }
}

}  // namespace

std::vector<FactorisationTrial> factorisations_to_try(const Communicator& communicator,
                                                      FactorisationKind kind, std::int64_t n,
                                                      const LocalKernels& kernels) {
  constexpr std::int64_t few_columns = 64;
  std::vector<FactorisationTrial> trials;
  switch (kind) {
    case FactorisationKind::lu:
      for (const Pivoting pivoting : {Pivoting::tournament, Pivoting::none})
        add_layered(communicator, kind, n, kernels, pivoting, trials);
      break;
    case FactorisationKind::cholesky:
      add_layered(communicator, kind, n, kernels, Pivoting::none, trials);
      break;
    case FactorisationKind::qr:
      add_qr(communicator, n, n, kernels, "qr", trials);
      add_qr(communicator, n * n / few_columns, few_columns, kernels, "qr-tall", trials);
      break;
  }
  return trials;
}

}  // namespace cuboid::detail::tools
