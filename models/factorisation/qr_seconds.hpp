#pragma once

#include "models/factorisation/lu_seconds.hpp"
#include "models/factorisation/qr_costs.hpp"

namespace cuboid::detail {

/// Where the time of a QR factorisation goes, in seconds of the critical path.
struct QrSecondsEstimate {
  double panel = 0;      ///< factorised, what no update hides
  double multicast = 0;  ///< likewise
  double sums = 0;
  double update = 0;
  double collectives = 0;  ///< to plan and start them
  double cores = 0;        ///< that all ranks' work takes their cores longer than all this

  double total() const { return panel + multicast + sums + update + collectives + cores; }
};

/// Step by step, on a network and cores as LU's model has them. The next panel's columns are
/// updated first; while that panel is factorised and travels, the other columns are updated.
QrSecondsEstimate qr_seconds(const LuSchedule& schedule, const LuRates& rates);

}  // namespace cuboid::detail
