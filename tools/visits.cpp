#include <cuboid/tools/bench_result.hpp>
#include <cuboid/tools/stolen_time.hpp>
#include <cuboid/tools/visits.hpp>

#include <algorithm>
#include <iterator>

namespace cuboid::tools {

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

}  // namespace cuboid::tools
