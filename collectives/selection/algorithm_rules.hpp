#pragma once

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Which algorithm is to run certain calls, instead of the one the model would choose.
class AlgorithmRules {
 public:
  AlgorithmRules() = default;

  /// Rules as CUBOID_ALGORITHM states them: `operation:sizes:algorithm`, several separated by
  /// commas, of which the first that fits a call is followed. Sizes are `least-most` in bytes, both
  /// included, either left out where there is no limit, with K, M or G for 2^10, 2^20, 2^30; with
  /// their colon they may be left out too. Examples: "broadcast:1M-:rectangular",
  /// "allreduce:-4K:recursive_doubling,allreduce:ring". The size is the message's; of operations
  /// with a block per rank, that of all blocks of a rank together.
  ///
  /// Throws Error(parse) naming what is wrong and, for an operation or algorithm that does not
  /// exist, those that do.
  /// @param origin  what the text is called in messages, e.g. "CUBOID_ALGORITHM".
  static AlgorithmRules parse(std::string_view text, std::string_view origin);

  /// From now on, a rule that cannot be followed is an error; else another algorithm runs.
  void insist() { strict_ = true; }
  bool strict() const { return strict_; }

  /// nullptr where no rule fits.
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
