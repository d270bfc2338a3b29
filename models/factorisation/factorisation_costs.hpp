#pragma once

#include "models/factorisation/cholesky_schedule.hpp"
#include "models/messages/log_gp.hpp"
#include "models/messages/usual_parameters.hpp"
#include "models/multiplication/product_extents.hpp"

#include <cstddef>
#include <cstdint>

namespace cuboid::detail {

/// How LU chooses its pivots, as far as it matters for the cost.
enum class LuPivotCost {
  none,
  tournament,  ///< candidate rows of a block meet in ⌈log2⌉ steps
  partial,     ///< a row of a block per column, in ⌈log2⌉ steps
};

/// The words and messages that a rank sends in one factorisation by LU or Cholesky, the mean over
/// the grid, by the steps of PanelSchedule. Cholesky has panels and multicasts: of L along rows, of
/// its transpose along columns.
///
/// A message is what one rank sends another at once; messages of no length do not count. If a long
/// message goes in several segments, the count of what is sent has each. A multicast to p ranks has
/// p - 1 messages, whatever its tree; a sum over p layers that leaves each a part, and a slice for
/// each layer, p·(p - 1). An all-reduce of a tournament goes by recursive doubling, of a pivot up
/// and down a tree, of QR by halving and doubling. The predicted seconds count the messages
/// that the critical path waits for one after the other, ⌈log2 p⌉ of a multicast.
struct LuCommunication {
  CommunicationCost panel;        ///< A: panels summed over the layers, factorised, dealt to them
  CommunicationCost multicast;    ///< B: L along rows, U along columns
  CommunicationCost rows;         ///< C: rows summed, exchanged, dealt to the layers
  CommunicationCost interchange;  ///< L's rows brought in order at the end

  CommunicationCost total() const;
};

/// The same of QR.
struct QrCommunication {
  CommunicationCost panel;      ///< factors R up the tree, the thin Q down, T to the process column
  CommunicationCost multicast;  ///< V and T along process rows
  CommunicationCost sums;       ///< VᴴA summed over process columns

  CommunicationCost total() const;
};

/// The number of links over which a rank sends at once along a line of the grid. Less than one if
/// other lines share a link.
struct LuLinks {
  double rows = 1;     ///< along a grid row
  double columns = 1;  ///< along a grid column
  double layers = 1;
};

/// The rates of a factorisation's computing and communicating.
struct LuRates {
  Hockney network;  ///< a message over a link
  LuLinks links = {};
  double burst_bytes = 0;  ///< burst credit that a link earns while it is idle
  /// The rate of a core's gemm.
  double multiplications_per_second = usual_core.multiplications_per_second;
  double seconds_per_byte_moved = 0;  ///< seconds of a core per byte that is packed, copied or
                                      ///< swapped in memory
  double ranks_per_core = 1;          ///< at least 1
  /// Seconds of the context switches of a core's other ranks, which a message waits for if they all
  /// wait for it or for one like it. Only partial pivoting waits so, twice per column and tree
  /// step; other messages are few, and the work of the cores counts for them.
  double seconds_of_turns = 0;
  std::size_t element_bytes = 8;
  /// Seconds of a core for each collective of a rank. Every step has other lengths, so its
  /// collectives are planned anew.
  double seconds_per_collective = 0;
  double seconds_per_tree_step = 0;  ///< seconds of a core for each of a collective's ⌈log2⌉ steps
  double core_seconds_per_byte = 0;  ///< core seconds per byte that a rank sends
  /// Share of the time in which links could carry while cores work in which they do.
  double overlap = 1;
};

/// The predicted seconds of the critical path, by part.
struct FactorisationSeconds {
  double panel = 0;      ///< without what overlaps with the update
  double multicast = 0;  ///< likewise
  double rows = 0;       ///< LU: rows exchanged and solved for; QR: VᴴA summed
  double update = 0;
  double interchange = 0;
  double collectives = 0;  ///< to plan and start them
  double cores = 0;  ///< additional time, if the cores need longer for the work of all their ranks

  double total() const {
    return panel + multicast + rows + update + interchange + collectives + cores;
  }
};

struct LuCost {
  FactorisationSeconds seconds;
  LuCommunication communication;
};
struct QrCost {
  FactorisationSeconds seconds;
  QrCommunication communication;
};

/// The cost of a schedule, summed over its steps. A step's rows are exchanged and solved for (QR:
/// VᴴA is summed). Then the next panel is factorised and travels, while U travels and the ranks
/// that do not have the panel update. Each grid column has the panel once per round of all columns.
/// Links earn burst credit from step to step. The cores do what all ranks compute, plan and send:
/// the longer of both times decides, plus what does not overlap of the shorter one.
///
/// LU's pivots are assumed to be anywhere among the remaining rows, as in a random matrix. Of
/// Cholesky both multicasts go with the panel, and the update is half of LU's. QR goes through the
/// blocks of a matrix like 2-D LU (PanelSchedule with one layer).
LuCost lu_cost(const PanelSchedule& schedule, LuPivotCost pivots, const LuRates& rates);
LuCost cholesky_cost(const CholeskySchedule& schedule, const LuRates& rates);
QrCost qr_cost(const PanelSchedule& schedule, const LuRates& rates);

/// A lower bound of cholesky_cost().seconds.total() that takes less time to find: of at most
/// `stretches` steps, a divisor of PanelSchedule::most_visited. No step takes longer than the step
/// before; but links that earn burst credit make the steps between cheaper, and with such links it
/// is 0.
double cholesky_least_seconds(const CholeskySchedule& schedule, const LuRates& rates,
                              std::int64_t stretches);

/// Words of memory of the busiest rank: its part of a layer's copy, its share of the matrix if
/// there are several layers, panels, and what local kernels pack of them.
double lu_memory(const PanelSchedule& schedule);
/// The same of QR: its part of the matrix, T of its panels, panels that travel or are being
/// factorised, and the sums of the update.
double qr_memory(const PanelSchedule& schedule);

/// 2·mn² − ⅔·n³ floating-point operations of a QR factorisation, m >= n; likewise for m < n.
double qr_operations(double m, double n);

/// Lower bounds on the words that some rank receives, as an order of magnitude, with M words of
/// memory per rank. 0 with one rank. Cholesky: the leading term n³/(3·P·√M) (Kwasniewski et al.
/// 2021). QR by orthogonal transformations, with F multiplications: F/(P·√(8M)) − M (Ballard et al.
/// 2011, "Minimizing communication in numerical linear algebra", corollary of theorem 2.2 as for
/// LU), and with any memory (1 − 1/P)·min(k·(k + 1)/2, (F/(P·√8))^(2/3)), k = min(m, n). The former
/// is the triangle that all ranks but one send in a TSQR (Demmel et al. 2012); the latter follows
/// from the same theorem (Ballard et al. 2014, "Communication lower bounds and optimal algorithms
/// for numerical linear algebra").
double cholesky_least_words(double n, double ranks, double memory);
double qr_least_words(double m, double n, double ranks, double memory);

}  // namespace cuboid::detail
