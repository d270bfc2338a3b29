#pragma once

#include "models/messages/broadcast_factors.hpp"
#include "models/messages/log_gp.hpp"

#include <span>

namespace cuboid::detail {

/// An n×n product on √p×√p ranks in √G×√G groups (Quintin et al. 2013, §III): panels of width B
/// travel between groups and are cut into panels of width b inside.
struct GroupedProduct {
  double n = 0;
  double ranks = 1;        ///< p
  double inner_block = 1;  ///< b
  double outer_block = 1;  ///< B ≥ b
};

/// The columns of Quintin et al. 2013, tables I and II, seconds of communication.
struct GroupedSeconds {
  double latency_inside = 0;
  double latency_between = 0;
  double bandwidth_inside = 0;
  double bandwidth_between = 0;

  double total() const {
    return latency_inside + latency_between + bandwidth_inside + bandwidth_between;
  }
};

/// HSUMMA with any broadcast T = L·α + m·W·β; β per matrix element, as in Quintin et al. 2013, eqs
/// 3 to 5:
///   2·L(√(p/G))·(n/b)·α + 2·L(√G)·(n/B)·α + 2·(W(√(p/G)) + W(√G))·(n²/√p)·β.
/// With the binomial tree that is table I, with van de Geijn's table II.
GroupedSeconds hsumma_seconds(const Hockney& per_element, const BroadcastModel& broadcast,
                              const GroupedProduct& product, double groups);

/// HSUMMA with more than two levels of groups. All levels have panels of width b and equally many
/// members, r = p^(1/(2·levels)): 2·levels·(L(r)·(n/b)·α + W(r)·(n²/√p)·β).
double hsumma_seconds_of_levels(const Hockney& per_element, const BroadcastModel& broadcast,
                                const GroupedProduct& product, int levels);

/// SUMMA: HSUMMA with one group (Quintin et al. 2013, eq 2).
GroupedSeconds summa_seconds(const Hockney& per_element, const BroadcastModel& broadcast,
                             const GroupedProduct& product);

/// dT/dG for b = B (Quintin et al. 2013, eqs 6 to 8), with any broadcast whose factors L and W are
/// differentiable between 1 and its ranks:
///   (L'(√G)/√G − √p·L'(√(p/G))/(G·√G))·(n/b)·α + (the same of W)·(n²/√p)·β.
/// At G = √p it is 0: there is an extremum, whatever the broadcast.
/// @param groups  between 1 and p, neither included.
double hsumma_slope(const Hockney& per_element, const BroadcastModel& broadcast,
                    const GroupedProduct& product, double groups);

/// The number of groups with the least time, for van de Geijn's broadcast and b = B: √p if α/β >
/// 2nb/p, else 1, which is SUMMA. It is where dT/dG = (G − √p)/(G·√G)·(nα/b − 2n²β/p) changes its
/// sign (Quintin et al. 2013, eqs 9 to 11).
double optimal_groups(const Hockney& per_element, const GroupedProduct& product);

/// The candidate with the least time; of several equal candidates, the first. Throws
/// Error(invalid_argument) if there is no candidate.
double best_groups(const Hockney& per_element, const BroadcastModel& broadcast,
                   const GroupedProduct& product, std::span<const double> candidates);

}  // namespace cuboid::detail
