#pragma once

#include "models/messages/log_gp.hpp"
#include "models/multiplication/product_extents.hpp"

namespace cuboid::detail {

/// An n×n problem on √(P/c)×√(P/c)×c ranks (Solomonik et al. 2011, §3). c = 1 is 2-D.
struct LayeredProblem {
  double n = 0;
  double ranks = 1;   ///< P
  double layers = 1;  ///< c

  double side() const;  ///< √(P/c)
};

/// The words that a rank of 2.5D multiplication receives or sends (Solomonik et al. 2011, §3.1.2),
/// by step.
struct LayeredWords {
  double replicate = 0;  ///< 2n²c/P: A and B to the other layers
  double steps = 0;      ///< 2n²/√(cP): along rows and columns
  double reduce = 0;     ///< n²c/P: C's sum over the layers

  double total() const { return replicate + steps + reduce; }
};
LayeredWords layered_multiplication_words(const LayeredProblem& problem);

/// The rates of the steps of 2.5D multiplication, in bytes per second. Solomonik et al. 2011, §5.3
/// use peak rates.
struct LayeredRates {
  double multicast = 0;
  double reduction = 0;
  double shift = 0;
};

/// replicate/multicast + steps/shift + reduce/reduction.
double layered_multiplication_seconds(const LayeredProblem& problem, double element_bytes,
                                      const LayeredRates& rates);

/// The way in which a line of a torus, which is a ring of nodes, multicasts or reduces.
enum class LineCollective {
  rectangular,        ///< over both its directions at once (Solomonik et al. 2011, eq 6)
  binomial,           ///< a tree of messages over both (Solomonik et al. 2011, eq 9)
  scatter_allgather,  ///< one way round, as MPI libraries do (van de Geijn's)
};

/// Seconds of a multicast or reduction on a ring of `extent` nodes.
double line_seconds(const LogGP& network, LineCollective collective, double extent, double bytes);
/// The bytes per second that line_seconds() approaches for long messages: 2/g, 2/(g·log2 extent),
/// or extent/(2g·(extent − 1)).
double line_peak(const LogGP& network, LineCollective collective, double extent);

/// Seconds of communication of 2.5D LU without pivoting, by the steps of Solomonik et al. 2011,
/// §3.1.3.
struct LayeredLuSeconds {
  double diagonal = 0;   ///< A: L11 along rows and U11 along columns of the layer
  double to_layers = 0;  ///< A: both to the other layers
  double panels = 0;     ///< B: L21 along rows, U12 along columns, each layer every c-th
  double schur = 0;      ///< C: the next panels' all-reduce over the layers

  double total() const { return diagonal + to_layers + panels + schur; }
};

/// √(Pc) steps with blocks of b = n/√(Pc). In step t, r = n − (t + 1)·b rows and columns are left:
///   A  two multicasts of b² elements over √(P/c) ranks, one over c;
///   B  two multicasts of r·b/√(P/c) over √(P/c), of every c-th panel only;
///   C  a reduction and a multicast of 2·r·b·c/P over c: panels lie on all ranks of a layer.
/// The sums are n²/√(cP)·O(1) words and √(Pc) messages, as Solomonik et al. 2011 give them. The
/// constants belong to these steps, not to the itemised costs to which that paper refers (its [18],
/// appendix B).
LayeredLuSeconds layered_lu_seconds(const LogGP& network, LineCollective collective,
                                    const LayeredProblem& problem, double element_bytes);

/// t_f/(t_f + t_c) (Solomonik et al. 2011, §5.3); 1 if nothing takes time.
double parallel_efficiency(double compute_seconds, double communicate_seconds);

}  // namespace cuboid::detail
