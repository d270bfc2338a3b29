#pragma once

#include "mm/qr/qr_outcome.hpp"
#include "mm/qr/qr_plan.hpp"
#include "tools/command/system_result.hpp"
#include "tools/qr/qr_check.hpp"
#include "tools/qr/qr_options.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What a run of `cuboid qr` or `cuboid lstsq` has to tell.
struct QrResult : SystemResult {
  QrCommand command = QrCommand::qr;
  QrPlan plan;
  QrSeconds phases;      ///< of the median factorisation, the ranks' mean
  QrCommunication sent;  ///< words and messages of a rank of the grid, their mean
  std::optional<QrCheck> check;
  std::vector<std::string> written;

  double gflops() const;
};

/// The object that --json prints: what it shares with `cuboid lu` is called the same.
nlohmann::ordered_json to_json(const QrResult& result);

/// The table for people.
std::string to_text(const QrResult& result);

}  // namespace cuboid::detail::tools
