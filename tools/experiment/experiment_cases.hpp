#pragma once

#include "tools/experiment/experiment_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The resources of an experiment.
struct Scale {
  std::vector<int> ranks;         ///< ascending
  std::int64_t memory_bytes = 0;  ///< memory of one rank
  std::int64_t repeats = 3;
  /// An MPI launcher starts the ranks, so that MPI's collectives can be measured as well.
  bool launched = false;
};

/// The extents of a product.
struct CaseExtents {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  bool operator==(const CaseExtents&) const = default;
};

/// One run: a point of one curve.
struct Case {
  std::string variant;
  std::string panel;  ///< panel of the figure: shape and regime, e.g. "square, limited memory"
  int ranks = 1;
  int cores_per_rank = 1;
  CaseExtents extents;                 ///< extents of a multiplication or factorisation
  std::int64_t bytes = 0;              ///< message size of a collective
  double x = 0;                        ///< position on the figure's horizontal axis
  std::vector<std::string> arguments;  ///< arguments of `cuboid`, without --ranks
  std::vector<std::string> variables;  ///< "NAME=value"
};

/// The words of all three matrices for `ranks` ranks. Matrices take a third of the ranks' memory;
/// algorithms receive data into the rest. Strong scaling uses the memory of the fewest ranks,
/// limited memory the memory of all ranks. Extra memory leaves space for p^(1/3) copies.
double words_of_matrices(MemoryRegime regime, int ranks, const Scale& scale);

/// The largest product of a shape whose three matrices have about `words` words; extents are at
/// least 1. For `molecules`, as many molecules as fit.
CaseExtents extents_of(ProductShape shape, double words);

/// The matrices of the random phase approximation of w water molecules: m = n = 136·w, k = 228·w²
/// (Kwasniewski et al. 2019, §8).
CaseExtents extents_of_molecules(std::int64_t molecules);

/// All runs, curve by curve. Pure.
std::vector<Case> cases_of(const Experiment& experiment, const Scale& scale);

/// The runs at the paper's own size on its machine, for `cuboid model`. Empty if the paper gives no
/// parameters of its machine.
std::vector<Case> modelled_cases_of(const Experiment& experiment);

}  // namespace cuboid::detail::tools
