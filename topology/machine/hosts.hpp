#pragma once

#include "topology/machine/report.hpp"

#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The hosts of a job, numbered in the order of their first ranks.
struct Hosts {
  std::vector<std::string> names;  ///< one per host, all different
  std::vector<int> first_rank;     ///< one per host
  std::vector<int> of_rank;        ///< the host of each rank
  int count() const { return static_cast<int>(names.size()); }
};

/// Groups ranks by host. If several hosts have the same name, the later ones get "#2", "#3", ...
/// appended.
Hosts group_by_host(std::span<const LocalReport> reports);

}  // namespace cuboid::detail
