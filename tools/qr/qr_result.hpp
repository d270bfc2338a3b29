#pragma once

#include "mm/qr/qr_outcome.hpp"
#include "mm/qr/qr_plan.hpp"
#include "tools/output/run_summary.hpp"
#include "tools/qr/qr_check.hpp"
#include "tools/qr/qr_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What a run of `cuboid qr` or `cuboid lstsq` has to tell.
struct QrResult : RunSummary {
  QrCommand command = QrCommand::qr;
  SystemProblem problem;
  QrPlan plan;
  std::string lapack, lapack_kernels;
  double solve_seconds = 0;  ///< all right-hand sides; 0: nothing was solved
  double read = 0, write = 0;
  QrSeconds phases;      ///< of the median factorisation, the ranks' mean
  QrCommunication sent;  ///< words and messages of a rank of the grid, their mean
  std::int64_t info = 0;
  bool finite = true;           ///< the matrix and R's diagonal are
  bool solution_finite = true;  ///< or nothing was solved
  std::optional<QrCheck> check;
  std::vector<std::string> written;

  double gflops() const;
};

/// The object that --json prints: what it shares with `cuboid lu` is called the same.
nlohmann::ordered_json to_json(const QrResult& result);

/// The table for people.
std::string to_text(const QrResult& result);

}  // namespace cuboid::detail::tools
