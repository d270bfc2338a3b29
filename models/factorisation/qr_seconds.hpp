#pragma once

#include "models/factorisation/lu_seconds.hpp"
#include "models/factorisation/qr_costs.hpp"

namespace cuboid::detail {

/// The predicted seconds of a QR factorisation's critical path, by part.
struct QrSecondsEstimate {
  double panel = 0;      ///< factorising, without what overlaps with the update
  double multicast = 0;  ///< likewise
  double sums = 0;
  double update = 0;
  double collectives = 0;  ///< to plan and start them
  double cores = 0;  ///< additional time, if the cores need longer for the work of all their ranks

  double total() const { return panel + multicast + sums + update + collectives + cores; }
};

/// Predicts the seconds of QR step by step, on the network and cores of LU's model. The next
/// panel's columns are updated first; while that panel is factorised and travels, the other columns
/// are updated.
QrSecondsEstimate qr_seconds(const PanelSchedule& schedule, const LuRates& rates);

}  // namespace cuboid::detail
