#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cuboid::detail::tools {

/// What an experiment runs.
enum class Work { multiply, factorise, collective };

/// The shapes of a product (Kwasniewski et al. 2019, §8). `molecules` are the matrices of the
/// random phase approximation, for a whole number of water molecules.
enum class ProductShape { square, large_k, large_m, flat, molecules };

/// How the size grows with the ranks: not at all; with all ranks' memory, so that nothing fits
/// twice; or with less, so that p^(1/3) copies of the input fit.
enum class MemoryRegime { strong, limited, extra };

/// What changes along the horizontal axis.
enum class Sweep { ranks, ends, size, groups, bytes };

/// What the figure shows.
enum class Quantity {
  seconds,
  exchange,         ///< seconds of the exchange, hidden or shown
  percent_of_peak,  ///< of what the gemms of as many ranks reach
  gflops,
  volume,        ///< bytes that the busiest rank receives
  split,         ///< stacked bars: compute, exchange shown, idle; beside them what is hidden
  distribution,  ///< of percent_of_peak over all runs
  bandwidth,
};

/// One curve: what is run for it.
struct Variant {
  std::string_view name;
  /// Flags of `cuboid mm`, `lu` or `bench`; {layers} stands for ranks / fewest ranks, {groups} for
  /// what a sweep of groups has come to.
  std::string_view flags;
  std::string_view variables = {};  ///< of the environment, e.g. "A=1 B=2"
};

/// The paper's own machine and size, for predictions.
struct PaperScale {
  std::string_view machine = {};  ///< a name of `cuboid model --parameters`; empty: not predicted
  double memory_bytes = 0;        ///< of a rank
  std::span<const int> ranks = {};
  std::span<const std::int64_t> sizes = {};  ///< n of square matrices, or molecules
};

/// An experiment of a paper as data. Each point of a sweep is one run of `cuboid mm`, `lu` or
/// `bench`.
struct Experiment {
  std::string_view name;     ///< "cosma-fig8"
  std::string_view source;   ///< "Kwasniewski et al. 2019, figure 8"
  std::string_view summary;  ///< one line
  Work work = Work::multiply;
  std::span<const Variant> variants;
  std::span<const ProductShape> shapes;
  std::span<const MemoryRegime> regimes;
  Sweep sweep = Sweep::ranks;
  Quantity quantity = Quantity::seconds;
  PaperScale paper = {};
};

/// All experiments.
std::span<const Experiment> experiments();
/// The experiment with a name; nullptr if there is none.
const Experiment* find_experiment(std::string_view name);

/// "square", "largeK", "largeM", "flat", "RPA".
std::string_view to_string(ProductShape shape);
/// "strong scaling", "limited memory", "extra memory".
std::string_view to_string(MemoryRegime regime);

}  // namespace cuboid::detail::tools
