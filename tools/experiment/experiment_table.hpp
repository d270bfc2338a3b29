#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cuboid::detail::tools {

/// The operation that an experiment runs.
enum class Work { multiply, factorise, collective };

/// The shapes of a product (Kwasniewski et al. 2019, §8). `molecules` are the matrices of the
/// random phase approximation, for a whole number of water molecules.
enum class ProductShape { square, large_k, large_m, flat, molecules };

/// The growth of the size with the number of ranks. strong: the size is constant. limited: it grows
/// with the memory of all ranks, so that there is only one copy. extra: it grows more slowly, so
/// that p^(1/3) copies of the input fit.
enum class MemoryRegime { strong, limited, extra };

/// The quantity on the horizontal axis.
enum class Sweep { ranks, ends, size, groups, bytes };

/// The quantity that the figure shows.
enum class ReportedQuantity {
  seconds,
  exchange,         ///< seconds of the exchange, both hidden and shown
  percent_of_peak,  ///< share of the rate that the gemms of equally many ranks reach
  gflops,
  volume,  ///< bytes that the busiest rank receives
  split,   ///< stacked bars: compute, exchange shown, idle; the hidden exchange is beside them
  distribution,  ///< distribution of percent_of_peak over all runs
  bandwidth,
};

/// One curve and the command that is run for it.
struct Variant {
  std::string_view name;
  /// Flags of `cuboid mm`, `lu` or `bench`. {layers} stands for ranks / fewest ranks, {groups} for
  /// the current value of a sweep over groups, {grid} for the squarest process grid, {stationary}
  /// for the SUMMA that does not move the largest matrix.
  std::string_view flags;
  std::string_view variables = {};  ///< environment variables, e.g. "A=1 B=2"
  /// Flags of `cuboid model mm`, `lu` or of a collective, if they differ from `flags`; "none" if no
  /// model has this variant.
  std::string_view model = {};
  int cores_per_rank = 1;  ///< cores per rank in the paper's run
};

/// The paper's own machine and size, for predictions.
struct PaperScale {
  /// A name of `cuboid model --parameters`; if empty, the paper gives no parameters.
  std::string_view machine = {};
  double memory_bytes = 0;          ///< memory of one core, or of a node where ranks are nodes
  std::span<const int> ranks = {};  ///< numbers of cores, or of nodes
  /// n of square matrices, or numbers of molecules: all sizes of a sweep over sizes, else a single
  /// size. If empty, the sizes of the shape in strong scaling.
  std::span<const std::int64_t> sizes = {};
  int cores_per_node = 1;                           ///< ranks of one core each on a node
  std::string_view flags = {};                      ///< further flags of `cuboid model`
  std::span<const std::string_view> networks = {};  ///< by number of ranks; if empty, none is known
  std::span<const int> groups = {};  ///< HSUMMA's, by number of ranks; if empty, those swept over
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
  ReportedQuantity quantity = ReportedQuantity::seconds;
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
