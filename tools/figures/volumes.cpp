#include "mm/multiply/plan_request.hpp"
#include "tools/figures/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// A strong scaling of Kwasniewski et al. 2019, table 4: MB per rank of ScaLAPACK, CTF, CARMA and
/// COSMA.
struct Scenario {
  const char* name;
  ProductSize size;
  std::vector<int> ranks;
  std::array<double, 4> megabytes;
};

struct MeasuredProgram {
  const char* name;
  MultiplicationAlgorithm algorithm;
};

constexpr std::array measured = {
    MeasuredProgram{"ScaLAPACK (ours: SUMMA)", MultiplicationAlgorithm::summa},
    MeasuredProgram{"CTF (ours: 2.5D)", MultiplicationAlgorithm::two_and_a_half_d},
    MeasuredProgram{"CARMA", MultiplicationAlgorithm::carma},
    MeasuredProgram{"COSMA", MultiplicationAlgorithm::cosma}};

/// Words that the busiest rank receives in the algorithm's plan of fewest words.
double words(MultiplicationAlgorithm algorithm, const ProductSize& size, int ranks) {
  const PlanRequest request{.size = size, .ranks = ranks};
  const Rates words_only{{0, 1e-9}, 1e30, false};
  return plan_candidates(request, words_only, std::span(&algorithm, 1)).front().words;
}

std::string why_different(double paper, const std::vector<double>& here) {
  const auto [least, most] = std::ranges::minmax(here);
  if (paper >= least && paper <= most) {
    return "the paper averages over core counts that it does not list; these numbers average over "
           "the powers of two and 18432";
  }
  return "unexplained: no mean over these core counts gives the paper's number, and its text does "
         "not say what was counted";
}

}  // namespace

Figure volumes() {
  const std::vector<int> many = {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 18432};
  const std::vector<int> large = {2048, 4096, 8192, 16384, 18432};
  constexpr std::int64_t w = 17408, long_side = 3735552;
  const std::array scenarios = {
      Scenario{"square", {16384, 16384, 16384}, many, {203, 222, 195, 107}},
      Scenario{"largeK", {w, w, long_side}, large, {2636, 2278, 659, 545}},
      Scenario{"largeM", {long_side, w, w}, large, {3507, 2024, 541, 410}},
      Scenario{"flat", {131072, 131072, 512}, many, {134, 68, 10, 7}}};
  constexpr double bytes_per_word = 8, megabyte = 1e6;
  Figure figure;
  figure.plot = {.title = "Volume per rank, square, strong scaling (table 4)",
                 .x_axis = "ranks",
                 .y_axis = "MB received",
                 .logarithmic_y = true,
                 .curves = {}};
  for (const Scenario& scenario : scenarios) {
    std::array<double, measured.size()> mean{};
    for (std::size_t i = 0; i < measured.size(); ++i) {
      Curve curve{measured[i].name, {}};
      std::vector<double> volumes_here;
      for (const int ranks : scenario.ranks) {
        const double volume =
            words(measured[i].algorithm, scenario.size, ranks) * bytes_per_word / megabyte;
        curve.points.emplace_back(ranks, volume);
        volumes_here.push_back(volume);
        mean[i] += volume / static_cast<double>(scenario.ranks.size());
      }
      Comparison comparison{
          .what = fmt::format("{}, {}, MB ({:.3g} on {} to {:.3g} on {})", scenario.name,
                              measured[i].name, curve.points.front().second, scenario.ranks.front(),
                              curve.points.back().second, scenario.ranks.back()),
          .ours = mean[i],
          .paper = scenario.megabytes[i],
          .why = ""};
      if (&scenario == &scenarios.front()) figure.plot.curves.push_back(std::move(curve));
      if (std::abs(*comparison.difference()) > agreement) {
        comparison.why = why_different(scenario.megabytes[i], volumes_here);
        if (i == 1) comparison.why += "; in addition, CTF moves the matrices to layouts of its own";
      }
      figure.comparisons.push_back(std::move(comparison));
    }
  }
  figure.notes = {
      "Words received by the busiest rank, double precision, by dry run of the plans that `cuboid "
      "mm` would run.",
      "For flat matrices the paper's mean is close to our number for 18432 ranks alone. The paper "
      "ran ScaLAPACK with 9 cores per rank, which means fewer ranks and more words.",
      "Limited and extra memory are left out, as the text does not give their sizes."};
  return figure;
}

}  // namespace cuboid::detail::tools
