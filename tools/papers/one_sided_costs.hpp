#pragma once

#include "models/messages/log_gp.hpp"
#include "models/multiplication/product_extents.hpp"

namespace cuboid::detail {

/// SRUMMA (Krishnan and Nieplocha 2004, §2.1): every rank gets the blocks of A and B that its block
/// of C needs from their owners. α stands for t_s, and β per element for t_w.
struct OneSidedSeconds {
  double compute = 0;  ///< mnk/P multiplications
  double data = 0;     ///< the t_w term
  double latency = 0;  ///< the t_s term
};

/// On a p×q grid: mnk/P + (mk/(pq)·t_w + t_s)·q + (kn/(pq)·t_w + t_s)·p. With m = n = k = N and p =
/// q: N³/P + 2N²/√P·t_w + 2·t_s·√P (Krishnan and Nieplocha 2004, eqs 1 and 2).
OneSidedSeconds one_sided_seconds(const Hockney& per_element, double multiplications_per_second,
                                  const ProductExtents& product, double rows, double columns);

/// ω = 1 − T_comp/T_comm, at least 0: the share of communication that cannot overlap with the
/// multiplications (Krishnan and Nieplocha 2004, §2.1). 0 if nothing is communicated.
double shown_share(const OneSidedSeconds& seconds);

/// T_comp + ω·(the t_w term) + the t_s term (Krishnan and Nieplocha 2004, eq 3).
double overlapped_seconds(const OneSidedSeconds& seconds, double shown);

/// 1/(1 + 2·√P/N·t_w), t_w in units of a multiplication (Krishnan and Nieplocha 2004, §2.1).
double one_sided_efficiency(double n, double ranks, double transfer_per_multiplication);

/// The isoefficiency function (Krishnan and Nieplocha 2004, §2.1): the multiplications N³ of the
/// product that `ranks` multiply with the given efficiency, 0 <= efficiency < 1. From
/// one_sided_efficiency(): N = 2·√P·t_w·η/(1 − η), so N³ grows as P^(3/2).
double isoefficiency(double efficiency, double ranks, double transfer_per_multiplication);

}  // namespace cuboid::detail
