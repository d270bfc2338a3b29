#include "tools/validate/visits.hpp"

#include "tools/bench/bench_result.hpp"
#include "tools/command/stolen_time.hpp"

#include <algorithm>
#include <iterator>

namespace cuboid::detail::tools {

void Visits::add(const std::vector<double>& seconds, double stolen) {
  std::ranges::copy(seconds, std::back_inserter(all_));
  if (stolen > most_stolen) {
    ++disturbed_;
  } else {
    ++undisturbed_;
    std::ranges::copy(seconds, std::back_inserter(in_peace_));
  }
}

double Visits::median() const {
  return Seconds::of(undisturbed_ > 0 ? in_peace_ : all_).median;
}

}  // namespace cuboid::detail::tools
