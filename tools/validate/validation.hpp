#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// Words that a rank sends, the mean: by the model, and as counted.
struct ValidatedWords {
  double predicted = 0;
  double sent = 0;
};

/// A prediction and its measurement.
struct ValidationCase {
  std::string operation;  ///< "broadcast", …, "mm", "lu"
  std::size_t bytes =
      0;  ///< bytes of the message, or of the matrices of a multiplication or factorisation
  int ranks = 1;
  std::string shape;  ///< shape of the network, or of the nodes: "torus:4x4", "one node"
  std::string algorithm;
  double predicted_seconds = 0;
  double measured_seconds = 0;
  bool chosen = false;     ///< `auto` chose it among the cases of equal operation and bytes
  bool disturbed = false;  ///< a hypervisor had taken the cores during all of its measurements
  std::optional<ValidatedWords> words = std::nullopt;  ///< of factorisations

  /// |predicted − measured| / measured.
  double error() const;
};

/// A summary of prediction errors.
struct ErrorSummary {
  std::size_t cases = 0;
  double median = 0;
  double p95 = 0;  ///< 95% of the predictions had at most this error
  double worst = 0;
};
ErrorSummary errors_of(std::span<const ValidationCase> cases);

/// The regret of selection: per operation and size, the measured time of the chosen algorithm
/// divided by that of the fastest one, minus 1.
struct RegretSummary {
  double median = 0;
  double max = 0;
};
RegretSummary regret_of(std::span<const ValidationCase> cases);

/// Sent words over predicted words, of the cases whose model predicts any.
struct WordRatios {
  double least = 0;
  double most = 0;
};
std::optional<WordRatios> word_ratios_of(std::span<const ValidationCase> cases);

/// The cases of one operation.
std::vector<ValidationCase> of_operation(std::span<const ValidationCase> cases,
                                         const std::string& operation);
/// The operations of the cases, in order of their first case.
std::vector<std::string> operations_of(std::span<const ValidationCase> cases);

}  // namespace cuboid::detail::tools
