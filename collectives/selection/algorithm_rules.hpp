#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Rules that select algorithms for certain calls. They take precedence over the model's choice.
class AlgorithmRules {
 public:
  AlgorithmRules() = default;

  /// Reads rules in the syntax of CUBOID_ALGORITHM: `operation:sizes:algorithm`, separated by
  /// commas; the first rule that matches a call applies. Sizes are `least-most` in bytes, both
  /// inclusive and optional, with K, M or G for 2^10, 2^20, 2^30; sizes and their colon may be
  /// omitted. Examples: "broadcast:1M-:rectangular",
  /// "allreduce:-4K:recursive_doubling,allreduce:ring". The size is that of the message; for
  /// operations with a block per rank, of all blocks of a rank together.
  ///
  /// Throws Error(parse) that names the mistake. For an operation or algorithm that does not exist,
  /// it also names those that exist.
  /// @param origin  what error texts call the text, e.g. "CUBOID_ALGORITHM"
  static AlgorithmRules parse(std::string_view text, std::string_view origin);

  /// Makes it an error if the algorithm of a rule cannot serve a call. Otherwise another algorithm
  /// runs.
  void insist() { strict_ = true; }
  bool strict() const { return strict_; }

  /// The algorithm that a rule requests for a call; nullptr if no rule applies.
  const Algorithm* demanded(Operation operation, std::size_t bytes) const;

 private:
  struct Rule {
    Operation operation;
    const Algorithm* algorithm;
    std::size_t least = 0;
    std::size_t most = std::numeric_limits<std::size_t>::max();
  };
  std::vector<Rule> rules_;
  bool strict_ = false;
};

}  // namespace cuboid::detail
