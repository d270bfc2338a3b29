#pragma once

#include <vector>

namespace cuboid::detail::tools {

/// The measurements of one case at different times, with some repetitions in each visit.
class Visits {
 public:
  /// @param stolen  the share of the cores' time that was taken meanwhile.
  void add(const std::vector<double>& seconds, double stolen);

  int disturbed() const { return disturbed_; }
  int undisturbed() const { return undisturbed_; }

  /// The median of the undisturbed visits' repetitions, of all where there are none such. There
  /// must have been one.
  double median() const;

 private:
  std::vector<double> in_peace_, all_;
  int disturbed_ = 0;
  int undisturbed_ = 0;
};

}  // namespace cuboid::detail::tools
