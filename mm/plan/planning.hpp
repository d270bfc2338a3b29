#pragma once

#include "mm/plan/mapped_grid.hpp"
#include "mm/plan/planner.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// True if a grid leaves few ranks outside and there are no ranks for another row or column. For
/// each number of layers there are only about 2·√p such grids, but many thousand other grids of
/// many ranks.
bool is_worth_costing(const PlanRequest& request, int rows, int columns, int layers);

/// Candidates as they are collected: each algorithm adds its own.
class Planning {
 public:
  /// Keeps both by reference. Throws what check_request() throws.
  Planning(const PlanRequest& request, const Rates& rates);

  const PlanRequest& request() const { return request_; }
  const Rates& rates() const { return rates_; }
  /// Maps grids onto the machine; nullptr if no machine is known.
  Mapper* machine() { return machine_ ? &*machine_ : nullptr; }

  /// The P×Q grids that leave few ranks outside, mapped onto the machine. If the user has fixed a
  /// grid, only that grid.
  const std::vector<MappedGrid>& grids();
  /// grids(), and the largest square grid, whose blocks rotate in the fewest steps.
  const std::vector<MappedGrid>& grids_to_rotate_on();

  /// Adds a candidate. A candidate is dropped if another candidate of its algorithm beats it in
  /// time and memory and, over a network, in words.
  void add(PlanCandidate candidate);

  /// The remaining candidates, in the order of plan_candidates().
  std::vector<PlanCandidate> sorted() &&;

 private:
  void prefer_the_leanest();

  const PlanRequest& request_;
  const Rates& rates_;
  std::optional<Mapper> machine_;
  std::vector<MappedGrid> grids_;               // empty until they are asked for
  std::vector<MappedGrid> grids_to_rotate_on_;  // empty until they are asked for
  std::vector<PlanCandidate> candidates_;
};

}  // namespace cuboid::detail
