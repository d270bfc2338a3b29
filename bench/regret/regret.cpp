// What selection chooses, against the best of all algorithms with all their settings, both by whole
// runs of the simulator, on machines of many kinds: a table by machine, and the worst cases.
//
// Usage: bench_regret [CASES [MOST [LEAST [asked]]]]
//   cases to draw (600); ranks of a group at most (32) and at least (1), half as many where each
//   rank has a block; asked: chosen as in groups too large to be simulated

#include "bench/regret/cases.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace cuboid::detail;

struct Result {
  RegretCase one;
  Regret regret;
};

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(part * last)];
}

void print_row(const std::string& name, const std::vector<Result>& results) {
  std::vector<double> regrets;
  std::vector<double> choosing;
  for (const Result& result : results) {
    regrets.push_back(100 * result.regret.value());
    choosing.push_back(1e3 * result.regret.choosing_seconds);
  }
  const auto over_5 = std::ranges::count_if(regrets, [](double value) { return value > 5; });
  fmt::print("{:<24} {:>6} {:>8.2f} {:>8.2f} {:>8.2f} {:>8} {:>10.1f} {:>10.1f}\n", name,
             regrets.size(), quantile(regrets, 0.5), quantile(regrets, 0.95), quantile(regrets, 1),
             over_5, quantile(choosing, 0.5), quantile(choosing, 1));
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 600;
  const int most_ranks = argc > 2 ? std::atoi(argv[2]) : 32;
  const int least_ranks = argc > 3 ? std::atoi(argv[3]) : 1;
  const bool as_if_large = argc > 4 && std::string(argv[4]) == "asked";
  std::vector<Result> all;
  std::map<std::string, std::vector<Result>> by_machine;
  for (const RegretCase& one : regret_cases(count, most_ranks, least_ranks)) {
    all.push_back({one, regret_of(one, as_if_large)});
    by_machine[one.machine->name].push_back(all.back());
  }
  fmt::print("{:<24} {:>6} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10}\n", "machine", "cases", "median %",
             "95th %", "worst %", "over 5%", "median ms", "most ms");
  for (const auto& [machine, results] : by_machine) print_row(machine, results);
  print_row("all", all);
  std::ranges::sort(all, std::ranges::greater(),
                    [](const Result& result) { return result.regret.value(); });
  constexpr std::size_t shown = 10;
  for (std::size_t i = 0; i < std::min(all.size(), shown); ++i) {
    const auto& [one, regret] = all[i];
    fmt::print("{:5.1f}% {}: {} {:.1f} us, best {} {:.1f} us\n", 100 * regret.value(),
               describe(one), regret.chosen, 1e6 * regret.chosen_seconds, regret.best,
               1e6 * regret.best_seconds);
  }
}
