#pragma once

#include <cuboid/mixed_precision.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "tools/lu/lu_check.hpp"
#include "tools/lu/lu_options.hpp"
#include "tools/output/run_summary.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What a run of `cuboid lu` has to tell.
struct LuResult : RunSummary {
  SystemProblem problem;
  bool cholesky = false;
  Pivoting pivoting = Pivoting::none;
  FactorisePlan plan;
  std::string lapack, lapack_kernels;
  double solve_seconds = 0;  ///< all right-hand sides, refinement included; 0: nothing was solved
  double read = 0, write = 0;
  LuSeconds phases;      ///< of the median factorisation, the ranks' mean
  LuCommunication sent;  ///< words and messages of a rank of the grid, their mean
  std::int64_t info = 0;
  bool finite = true;                        ///< the matrix and U's diagonal are
  bool solution_finite = true;               ///< or nothing was solved
  double sign_real = 0, sign_imaginary = 0;  ///< of the determinant, of a square matrix
  std::optional<double> log_determinant;     ///< none where the matrix is not square or not finite
  std::optional<LuCheck> check;
  std::string factors_output;
  std::optional<MixedPrecisionOutcome> mixed;  ///< of --mixed: `seconds` are those of the solve

  double gflops() const;
};

/// The object that --json prints: what it shares with `cuboid mm` is called the same.
nlohmann::ordered_json to_json(const LuResult& result);

/// The table for people.
std::string to_text(const LuResult& result);

}  // namespace cuboid::detail::tools
