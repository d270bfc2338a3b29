#pragma once

#include <cuboid/mixed_precision.hpp>

#include "mm/lu/factorise_plan.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "tools/command/system_result.hpp"
#include "tools/lu/lu_check.hpp"
#include "tools/lu/lu_options.hpp"

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What a run of `cuboid lu` has to tell.
struct LuResult : SystemResult {
  bool cholesky = false;
  Pivoting pivoting = Pivoting::none;
  FactorisePlan plan;
  LuSeconds phases;      ///< of the median factorisation, the ranks' mean
  LuCommunication sent;  ///< words and messages of a rank of the grid, their mean
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
