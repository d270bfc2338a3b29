#include "mm/multiply/plan_request.hpp"
#include "tools/figures/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr double bytes_per_word = 8, bytes_per_megabyte = 1e6;

/// A program of Kwasniewski et al. 2019, table 4, represented by the algorithms that Cuboid runs in
/// its place.
struct MeasuredProgram {
  const char* name;
  std::vector<MultiplicationAlgorithm> algorithms;  ///< the algorithm of fewest words is used
  int cores_per_rank = 1;
};

/// PBLAS keeps A, B or C in place; in the paper it ran on one rank per nine cores (§8, footnote 7).
const std::array<MeasuredProgram, 4>& programs() {
  using enum MultiplicationAlgorithm;
  static const std::array<MeasuredProgram, 4> all = {
      MeasuredProgram{
          "ScaLAPACK (ours: A, B or C stationary)", {summa, stationary_a, stationary_b}, 9},
      MeasuredProgram{"CTF (ours: 2.5D)", {two_and_a_half_d}}, MeasuredProgram{"CARMA", {carma}},
      MeasuredProgram{"COSMA", {cosma}}};
  return all;
}

/// The memory per core in a benchmark (§8): the machine's memory; I/p, where I is the number of
/// elements of all three matrices; or p^(1/3) times I/p.
enum class MemoryOf { machine, inputs, copies };

/// A row of table 4: MB per rank of ScaLAPACK, CTF, CARMA and COSMA.
struct Scenario {
  const char* name;
  MemoryOf memory;
  ProductSize (*size)(double w);  ///< grows with w
  double w;  ///< w of a strong scaling; the text gives no w for the other scenarios
  std::vector<int> cores;
  std::array<double, 4> megabytes;
};

std::int64_t whole(double extent) {
  return std::max<std::int64_t>(std::llround(extent), 1);
}

ProductSize square(double w) {
  return {whole(w), whole(w), whole(w)};
}
/// m = n = 136w and k = 228w² (§8).
ProductSize large_k(double w) {
  return {whole(136 * w), whole(136 * w), whole(228 * w * w)};
}
ProductSize large_m(double w) {
  const auto [m, n, k] = large_k(w);
  return {k, n, m};
}
/// k = 512 in strong scaling, 256 in memory scaling (§9).
ProductSize flat(double w) {
  return {whole(w), whole(w), 512};
}
ProductSize flat_update(double w) {
  return {whole(w), whole(w), 256};
}

double elements(const ProductSize& size) {
  const auto m = static_cast<double>(size.m), n = static_cast<double>(size.n),
             k = static_cast<double>(size.k);
  return m * n + m * k + n * k;
}

/// Words per core for the matrices, with the same amount as working memory.
std::optional<std::int64_t> memory_of(const Scenario& scenario, const ProductSize& size,
                                      int cores) {
  constexpr double to_work_in = 2;
  if (scenario.memory == MemoryOf::machine) return std::nullopt;
  const double copies = scenario.memory == MemoryOf::copies ? std::cbrt(cores) : 1;
  return static_cast<std::int64_t>(to_work_in * copies * elements(size) / cores);
}

/// The size on a number of cores. I grows with p if each core's memory holds just its share of I,
/// and with p^(2/3) if the memory also holds p^(1/3) copies.
ProductSize size_on(const Scenario& scenario, double w, int cores) {
  if (scenario.memory == MemoryOf::machine) return scenario.size(w);
  const double wanted = elements(scenario.size(w)) *
                        std::pow(cores, scenario.memory == MemoryOf::inputs ? 1 : 2.0 / 3);
  double low = w, high = w * cores;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (elements(scenario.size(middle)) < wanted ? low : high) = middle;
  }
  return scenario.size(low);
}

/// The program's plan of fewest words, or of least memory if no plan fits.
PlanCandidate plan_of(const MeasuredProgram& program, const Scenario& scenario, double w,
                      int cores) {
  PlanRequest request{.size = size_on(scenario, w, cores),
                      .ranks = std::max(cores / program.cores_per_rank, 1)};
  if (const auto memory = memory_of(scenario, request.size, cores))
    request.memory = *memory * program.cores_per_rank;
  const Rates words_only{{0, 1e-9}, 1e30, false};
  return plan_candidates(request, words_only, program.algorithms).front();
}

/// MB that the program's busiest rank receives.
double volume(const MeasuredProgram& program, const Scenario& scenario, double w, int cores) {
  return plan_of(program, scenario, w, cores).words * bytes_per_word / bytes_per_megabyte;
}

/// The volumes on each of the scenario's numbers of cores.
std::vector<double> volumes_of(const MeasuredProgram& program, const Scenario& scenario, double w) {
  std::vector<double> all;
  for (const int cores : scenario.cores) all.push_back(volume(program, scenario, w, cores));
  return all;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The w of a memory scaling for which COSMA moves the measured volume. The words grow nearly as a
/// power of w.
double fitted(const Scenario& scenario) {
  const auto moved = [&](double w) { return mean(volumes_of(programs().back(), scenario, w)); };
  double w = 100;
  for (int step = 0; step < 2; ++step) {
    const double here = moved(w);
    const double power = std::log2(moved(2 * w) / here);
    w *= std::pow(scenario.megabytes.back() / here, 1 / power);
  }
  return w;
}

std::vector<Scenario> scenarios() {
  const std::vector<int> many = {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 18432};
  const std::vector<int> large = {2048, 4096, 8192, 16384, 18432};
  const std::vector<int> some = {128, 2048, 18432};
  using enum MemoryOf;
  return {{"square, strong scaling", machine, square, 16384, many, {203, 222, 195, 107}},
          {"square, limited memory", inputs, square, 0, some, {816, 986, 799, 424}},
          {"square, extra memory", copies, square, 0, some, {303, 350, 291, 151}},
          {"largeK, strong scaling", machine, large_k, 128, large, {2636, 2278, 659, 545}},
          {"largeK, limited memory", inputs, large_k, 0, some, {368, 541, 128, 88}},
          {"largeK, extra memory", copies, large_k, 0, some, {133, 152, 48, 35}},
          {"largeM, strong scaling", machine, large_m, 128, large, {3507, 2024, 541, 410}},
          {"largeM, limited memory", inputs, large_m, 0, some, {989, 672, 399, 194}},
          {"largeM, extra memory", copies, large_m, 0, some, {122, 77, 77, 29}},
          {"flat, strong scaling", machine, flat, 131072, many, {134, 68, 10, 7}},
          {"flat, limited memory", inputs, flat_update, 0, some, {47, 101, 26, 8}},
          {"flat, extra memory", copies, flat_update, 0, some, {15, 15, 10, 3}}};
}

/// Neighbouring numbers of cores.
struct CoreRange {
  std::size_t first = 0;
  std::size_t count = 0;
  double mean_of(std::span<const double> values) const {
    return mean(values.subspan(first, count));
  }
};

bool agree(double ours, double paper) {
  return std::abs(ours / paper - 1) <= agreement;
}

/// The most neighbouring numbers of cores whose mean volume agrees with the paper's. The paper
/// averages "across all core counts" without listing them.
std::optional<CoreRange> agreeing_cores(std::span<const double> ours, double paper) {
  for (std::size_t count = ours.size() - 1; count > 1; --count)
    for (CoreRange range{0, count}; range.first + count <= ours.size(); ++range.first)
      if (agree(range.mean_of(ours), paper)) return range;
  return std::nullopt;
}

std::string text_of(const CoreRange& range, const Scenario& scenario) {
  return fmt::format("{} to {} cores", scenario.cores[range.first],
                     scenario.cores[range.first + range.count - 1]);
}

std::string why_cosma_differs(const Scenario& scenario, std::span<const double> ours,
                              double paper) {
  const auto range = agreeing_cores(ours, paper);
  if (!range) return "unexplained: no mean over neighbouring numbers of cores agrees";
  return fmt::format("the mean over {} agrees: {:.3g} MB", text_of(*range, scenario),
                     range->mean_of(ours));
}

/// Numbers of cores that the paper does not list change a mean, but hardly how many times COSMA's
/// words another program moves.
std::string why_different(const Scenario& scenario, std::span<const double> ours, double paper,
                          std::span<const double> cosma) {
  const double times = paper / scenario.megabytes.back();
  double least = ours[0] / cosma[0], most = least;
  for (std::size_t i = 1; i < ours.size(); ++i) {
    least = std::min(least, ours[i] / cosma[i]);
    most = std::max(most, ours[i] / cosma[i]);
  }
  const bool possible = times >= least && times <= most;
  return fmt::format("{}{:.2f} times COSMA's words in the paper, {:.2f} to {:.2f} times here{}",
                     possible ? "" : "unexplained: ", times, least, most,
                     possible ? ", depending on the number of cores" : " on any number of cores");
}

/// Where one rank per core agrees with the paper on the numbers of cores on which COSMA's row does,
/// says so.
std::string why_on_single_cores(MeasuredProgram program, const Scenario& scenario, double w,
                                double paper, std::span<const double> cosma) {
  if (scenario.memory != MemoryOf::machine || program.cores_per_rank == 1) return {};
  const auto range = agreeing_cores(cosma, scenario.megabytes.back());
  if (!range) return {};
  program.cores_per_rank = 1;
  const double ours = range->mean_of(volumes_of(program, scenario, w));
  if (!agree(ours, paper)) return {};
  return fmt::format("with one rank per core, on {} as in COSMA's row, {:.3g} MB agree",
                     text_of(*range, scenario), ours);
}

void compare(const Scenario& scenario, Figure& figure) {
  const bool fits_size = scenario.memory != MemoryOf::machine;
  const double w = fits_size ? fitted(scenario) : scenario.w;
  const std::vector<double> cosma = volumes_of(programs().back(), scenario, w);
  for (std::size_t i = 0; i < programs().size(); ++i) {
    const MeasuredProgram& program = programs()[i];
    const bool is_cosma = i + 1 == programs().size();
    const std::vector<double> ours = is_cosma ? cosma : volumes_of(program, scenario, w);
    Comparison comparison{.what = fmt::format("{}, {}, MB", scenario.name, program.name),
                          .ours = mean(ours)};
    if (fits_size && is_cosma) {
      comparison.what += fmt::format(" (the paper's: the size is fitted to it, w = {:.4g})", w);
      figure.comparisons.push_back(std::move(comparison));
      continue;
    }
    const double paper = scenario.megabytes[i];
    comparison.paper = paper;
    comparison.where = "table 4";
    if (std::abs(*comparison.difference()) > agreement) {
      const bool fits = plan_of(program, scenario, w, scenario.cores.back()).fits;
      comparison.why = !fits ? "our plan needs more memory than there is, so it moves fewer words"
                       : is_cosma ? why_cosma_differs(scenario, ours, paper)
                                  : why_on_single_cores(program, scenario, w, paper, cosma);
      if (comparison.why.empty()) comparison.why = why_different(scenario, ours, paper, cosma);
    }
    figure.comparisons.push_back(std::move(comparison));
  }
}

}  // namespace

Figure volumes() {
  Figure figure;
  figure.plot = {.title = "Volume per rank, square, strong scaling (table 4)",
                 .x_axis = "cores",
                 .y_axis = "MB received",
                 .logarithmic_y = true,
                 .curves = {}};
  const std::vector<Scenario> all = scenarios();
  for (const MeasuredProgram& program : programs()) {
    Curve curve{program.name, {}};
    for (const int cores : all.front().cores)
      curve.points.emplace_back(cores, volume(program, all.front(), all.front().w, cores));
    figure.plot.curves.push_back(std::move(curve));
  }
  for (const Scenario& scenario : all) compare(scenario, figure);
  figure.notes = {
      "Ours: words that the busiest rank receives, double precision, by dry run of the plans that "
      "`cuboid mm` would run; means over powers of two and 18432 cores.",
      "The paper's: means over core counts that it does not list. They were measured by the "
      "profiler "
      "mpiP (§8), which sums what ranks hand to calls of MPI. The paper does not say whether sent "
      "or "
      "received bytes are meant, or what a collective counts.",
      "ScaLAPACK ran on one rank per nine cores (§8); only its row of square matrices in strong "
      "scaling agrees, and with one rank per core. Which of A, B and C PBLAS keeps in place "
      "matters most: with C stationary alone largeK's row is 38,400 MB.",
      "Limited memory is I/p per core for the matrices' I elements, extra memory p^(1/3) times as "
      "much; working memory is the same amount again. The text does not give the sizes; ours are "
      "those for which COSMA moves the measured volume."};
  return figure;
}

}  // namespace cuboid::detail::tools
