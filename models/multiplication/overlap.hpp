#pragma once

#include <algorithm>
#include <optional>

namespace cuboid::detail {

/// Seconds of a transfer and a multiplication: one after the other, and at the same time in the
/// best case.
struct OverlapBounds {
  double apart = 0;
  double at_best = 0;
};

/// Seconds of both if the share `overlap` of what overlap could save is saved (1 − ω of Krishnan
/// and Nieplocha 2004, §2.1).
inline double partly_overlapped(const OverlapBounds& seconds, double overlap) {
  return seconds.apart - overlap * (seconds.apart - seconds.at_best);
}

/// The share of the possible saving that was saved if both took `together` seconds, from 0 to 1.
/// nullopt if overlap can save nothing.
inline std::optional<double> overlap_of(const OverlapBounds& seconds, double together) {
  const double most = seconds.apart - seconds.at_best;
  if (!(most > 0)) return std::nullopt;
  return std::clamp((seconds.apart - together) / most, 0.0, 1.0);
}

}  // namespace cuboid::detail
