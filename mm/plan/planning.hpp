#pragma once

#include "mm/plan/mapped_grid.hpp"
#include "mm/plan/planner.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// Whether a grid has room for neither another row nor another column and leaves few ranks outside.
/// There are only some 2·√p such grids per number of layers, many thousand others of many ranks.
bool is_worth_costing(const PlanRequest& request, int rows, int columns, int layers);

/// Candidates as they are collected: each algorithm adds its own.
class Planning {
 public:
  /// Refers to both. Throws what check_request() does.
  Planning(const PlanRequest& request, const Rates& rates);

  const PlanRequest& request() const { return request_; }
  const Rates& rates() const { return rates_; }
  /// Maps grids onto the machine; nullptr where none is known.
  Mapper* machine() { return machine_ ? &*machine_ : nullptr; }

  /// The P×Q grids that leave few ranks outside, mapped onto the machine; a given grid alone.
  const std::vector<MappedGrid>& grids();
  /// All of them, and the largest square, whose blocks rotate in fewest steps.
  const std::vector<MappedGrid>& grids_to_rotate_on();

  /// Keeps of an algorithm's candidates those that another one does not beat in time and memory
  /// and, over a network, in words.
  void add(PlanCandidate candidate);

  /// All that were kept, in the order of plan_candidates().
  std::vector<PlanCandidate> sorted() &&;

 private:
  void prefer_the_leanest();

  const PlanRequest& request_;
  const Rates& rates_;
  std::optional<Mapper> machine_;
  std::vector<MappedGrid> grids_;               // once they were asked for
  std::vector<MappedGrid> grids_to_rotate_on_;  // likewise
  std::vector<PlanCandidate> candidates_;
};

}  // namespace cuboid::detail
