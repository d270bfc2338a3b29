#pragma once

#include <vector>

namespace cuboid::detail::tools {

/// The measurements of one case in several visits at different times, each with some repetitions.
class Visits {
 public:
  /// @param stolen  the share of the cores' time that a hypervisor took during the visit.
  void add(const std::vector<double>& seconds, double stolen);

  int disturbed() const { return disturbed_; }
  int undisturbed() const { return undisturbed_; }
  int all() const { return disturbed_ + undisturbed_; }

  /// The median of the repetitions of undisturbed visits, or of all visits if all were disturbed.
  /// There must be at least one visit.
  double median() const;

 private:
  std::vector<double> in_peace_, all_;
  int disturbed_ = 0;
  int undisturbed_ = 0;
};

}  // namespace cuboid::detail::tools
