#pragma once

#include "tools/experiment/experiment_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// What an experiment runs on.
struct Scale {
  std::vector<int> ranks;         ///< ascending
  std::int64_t memory_bytes = 0;  ///< of a rank
  std::int64_t repeats = 3;
  bool launched = false;  ///< by an MPI launcher, so that MPI's collectives can be measured, too
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
  std::string panel;  ///< of the figure: shape and regime, e.g. "square, limited memory"
  int ranks = 1;
  CaseExtents extents;                 ///< of a multiplication or factorisation
  std::int64_t bytes = 0;              ///< of a collective
  double x = 0;                        ///< on the figure's horizontal axis
  std::vector<std::string> arguments;  ///< of `cuboid`, --ranks apart
  std::vector<std::string> variables;  ///< "NAME=value"
};

/// The words of all three matrices that `ranks` ranks are given. A third of their memory is for
/// matrices, the rest for what algorithms receive: in strong scaling that of the fewest ranks; with
/// limited memory, that of all; with extra memory, what leaves room for p^(1/3) copies.
double words_of_matrices(MemoryRegime regime, int ranks, const Scale& scale);

/// The largest product of a shape whose three matrices have about so many words, extents at least
/// 1. Of `molecules` as many as fit.
CaseExtents extents_of(ProductShape shape, double words);

/// The matrices of the random phase approximation of w water molecules: m = n = 136·w, k = 228·w²
/// (Kwasniewski et al. 2019, §8).
CaseExtents extents_of_molecules(std::int64_t molecules);

/// All runs, in the order of the curves. Pure.
std::vector<Case> cases_of(const Experiment& experiment, const Scale& scale);

/// The same at the paper's own size, for `cuboid model mm`. Empty where the experiment has none.
std::vector<Case> modelled_cases_of(const Experiment& experiment);

}  // namespace cuboid::detail::tools
