#include "mm/multiply/plan_request.hpp"
#include "models/messages/machine.hpp"
#include "tools/figures/figure.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cuboid::detail::tools {

namespace {

constexpr double bytes_per_word = 8, bytes_per_megabyte = 1e6;

/// A program of Kwasniewski et al. 2019, table 4, represented by the algorithms that Cuboid runs in
/// its place.
struct MeasuredProgram {
  std::string name;  ///< its name in the table of printed numbers
  const char* role;
  std::vector<MultiplicationAlgorithm> algorithms;  ///< the algorithm of fewest words is used
  int cores_per_rank = 1;
};

/// The programs. PBLAS keeps A, B or C in place; in the paper it ran on one rank per nine cores
/// (§8, footnote 7).
const std::array<MeasuredProgram, 4>& programs() {
  using enum MultiplicationAlgorithm;
  static const std::array<MeasuredProgram, 4> all = {
      MeasuredProgram{"scalapack",
                      "ScaLAPACK (ours: A, B or C stationary)",
                      {summa, stationary_a, stationary_b},
                      9},
      MeasuredProgram{"ctf", "CTF (ours: 2.5D)", {two_and_a_half_d}},
      MeasuredProgram{"carma", "CARMA", {carma}}, MeasuredProgram{"cosma", "COSMA", {cosma}}};
  return all;
}

/// The strong scalings of table 4. The paper's text gives their sizes; the memory is the machine's.
struct Scenario {
  std::string name;
  ProductSize size;
  std::vector<int> cores;
};

std::vector<Scenario> scenarios() {
  // The paper lists no numbers of cores. We use powers of two and all 18,432 cores; from 2048 cores
  // on if fewer cores cannot hold the matrices (§9).
  const std::vector<int> many = {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 18432};
  const std::vector<int> large = {2048, 4096, 8192, 16384, 18432};
  constexpr std::int64_t small = 17408, tall = 3735552;  // 128 molecules: 136w and 228w²
  return {{"square", {16384, 16384, 16384}, many},
          {"largeK", {small, small, tall}, large},
          {"largeM", {tall, small, small}, large},
          {"flat", {131072, 131072, 512}, many}};
}

/// The MB that the busiest rank receives in the program's plan of the fewest words.
double volume(const MeasuredProgram& program, const ProductSize& size, int cores) {
  const PlanRequest request{.size = size, .ranks = std::max(cores / program.cores_per_rank, 1)};
  const Rates words_only{{0, 1e-9}, 1e30, false};
  const double words = plan_candidates(request, words_only, program.algorithms).front().words;
  return words * bytes_per_word / bytes_per_megabyte;
}

double mean_volume(const MeasuredProgram& program, const Scenario& scenario) {
  double all = 0;
  for (const int cores : scenario.cores) all += volume(program, scenario.size, cores);
  return all / static_cast<double>(scenario.cores.size());
}

/// The seconds of the algorithm's fastest plan for the paper's square matrices, with one rank on
/// each core of Piz Daint.
double seconds_on(MultiplicationAlgorithm algorithm, int cores) {
  const Machine core = find_machine("piz-daint")->shared_by(36);
  const Rates rates{.network = hockney(core.between_nodes),
                    .multiplications_per_second = core.flops_per_second / 2,
                    .overlap = core.overlap};
  // CTF did not hide sums of C, as our 2.5D does in slabs.
  const PlanRequest request{
      .size = {16384, 16384, 16384}, .ranks = cores, .inside = LayerAlgorithm::summa};
  return plan_candidates(request, rates, std::array{algorithm}).front().seconds;
}

}  // namespace

Figure unfavourable_cores() {
  using enum MultiplicationAlgorithm;
  Figure figure;
  figure.plot = {.title = "n = 16384 on Piz Daint, modelled",
                 .x_axis = "cores",
                 .y_axis = "seconds",
                 .logarithmic_y = true,
                 .curves = {{"COSMA", {}}, {"CTF (ours: 2.5D)", {}}}};
  for (const int cores : {1024, 4096, 9216, 9217, 18432}) {
    figure.plot.curves[0].points.emplace_back(cores, seconds_on(cosma, cores));
    figure.plot.curves[1].points.emplace_back(cores, seconds_on(two_and_a_half_d, cores));
  }
  constexpr double flops = 2.0 * 16384 * 16384 * 16384;
  const double peak_of_core = find_machine("piz-daint")->shared_by(36).flops_per_second;
  figure.comparisons = {
      {printed("cosma-4096-peak"), flops / seconds_on(cosma, 4096) / (4096 * peak_of_core)},
      Comparison(printed("cosma-9216-seconds"), seconds_on(cosma, 9216)).at(9216),
      {"n = 16384, 9217 cores: COSMA, seconds (the paper: as on 9216)", seconds_on(cosma, 9217)},
      Comparison(printed("ctf-9216-seconds"), seconds_on(two_and_a_half_d, 9216)).at(9216),
      Comparison(printed("ctf-9217-seconds"), seconds_on(two_and_a_half_d, 9217)).at(9217)};
  figure.notes = {
      "The paper measured these. Ours: the planner's costs, 36 ranks sharing a node's 1.9 TFLOP/s "
      "and "
      "10.2 GB/s of Aries; all that a rank receives counts as coming from other nodes."};
  return figure;
}

Figure volumes() {
  Figure figure;
  figure.plot = {.title = "Volume per rank, square, strong scaling (table 4)",
                 .x_axis = "cores",
                 .y_axis = "MB received",
                 .logarithmic_y = true,
                 .curves = {}};
  const std::vector<Scenario> all = scenarios();
  for (const MeasuredProgram& program : programs()) {
    Curve curve{program.role, {}};
    for (const int cores : all.front().cores)
      curve.points.emplace_back(cores, volume(program, all.front().size, cores));
    figure.plot.curves.push_back(std::move(curve));
  }
  for (const Scenario& scenario : all) {
    for (const MeasuredProgram& program : programs()) {
      figure.comparisons.emplace_back(printed(scenario.name + "-" + program.name),
                                      mean_volume(program, scenario));
    }
  }
  figure.notes = {
      "Ours: words that the busiest rank receives, double precision, by dry run of the plans that "
      "`cuboid mm` would run; means over powers of two and 18432 cores.",
      "The paper's: means over core counts that it does not list. They were measured by the "
      "profiler mpiP (§8), which sums what ranks hand to calls of MPI. The paper does not say "
      "whether sent or received bytes are meant, or what a collective counts.",
      "ScaLAPACK is played by SUMMA with C, A or B stationary on one rank per nine cores (§8), CTF "
      "by 2.5D. Which of A, B and C PBLAS keeps in place matters most: with C stationary alone "
      "largeK's row is 38,400 MB.",
      "The text does not give the sizes of limited and extra memory, so these eight rows of the "
      "table are not compared."};
  return figure;
}

}  // namespace cuboid::detail::tools
