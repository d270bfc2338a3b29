#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// A prediction and its measurement.
struct ValidationCase {
  std::string operation;  ///< "broadcast", …, "mm", "lu"
  std::size_t bytes = 0;  ///< of the message; of a multiplication or factorisation, of its matrices
  int ranks = 1;
  std::string shape;  ///< of the network, or of the nodes: "torus:4x4", "one node"
  std::string algorithm;
  double predicted_seconds = 0;
  double measured_seconds = 0;
  bool chosen = false;     ///< by `auto`, of all with this operation and these bytes
  bool disturbed = false;  ///< whenever it was measured, a hypervisor had taken the cores

  /// |predicted − measured| / measured.
  double error() const;
};

/// A summary of prediction errors.
struct ErrorSummary {
  std::size_t cases = 0;
  double median = 0;
  double p95 = 0;  ///< 95 of 100 were off by at most so much
  double worst = 0;
};
ErrorSummary errors_of(std::span<const ValidationCase> cases);

/// The regret of selection: for each operation and size, the measured time of the chosen algorithm
/// over that of the fastest, minus 1.
struct RegretSummary {
  double median = 0;
  double max = 0;
};
RegretSummary regret_of(std::span<const ValidationCase> cases);

/// The cases of one operation.
std::vector<ValidationCase> of_operation(std::span<const ValidationCase> cases,
                                         const std::string& operation);
/// The operations that occur, in the order of the cases.
std::vector<std::string> operations_of(std::span<const ValidationCase> cases);

}  // namespace cuboid::detail::tools
