#pragma once

#include "models/multiplication/product_extents.hpp"

namespace cuboid::detail {

/// The part of the work that a rank computes: rows × columns elements of C, summed over `inner`
/// indices.
struct WorkDomain {
  double rows = 0;
  double columns = 0;
  double inner = 0;

  double work() const { return rows * columns * inner; }
  /// The elements of A, B and C in it: its faces.
  double faces() const { return rows * inner + inner * columns + rows * columns; }
};

/// Kwasniewski et al. 2019, table 3, general case, for p ranks of S words. Q is the I/O cost in
/// words (elements of A, B and C that a rank holds one after the other), L the latency cost in
/// messages. A rank receives Q without the (mn + mk + nk)/p words that it owns.

/// √p×√p×1: Q = k(m + n)/√p + mn/p, L = 2k·log2 √p.
CommunicationCost flat_decomposition(const ProductExtents& product, double ranks);

/// The number of copies of A and B for which there is memory: c = pS/(mk + nk).
double layers_that_fit(const ProductExtents& product, double ranks, double memory);

/// √(p/c)×√(p/c)×c with the c that fits:
///   Q = (k(m + n))^(3/2)/(p·√S) + mnS/(k(m + n)),
///   L = (k(m + n))^(5/2)/(p·S^(3/2)·(km + kn − mn)) + 3·log2 c,
/// the latter for k(m + n) > mn.
CommunicationCost layered_decomposition(const ProductExtents& product, double ranks, double memory);

/// The largest extent is halved until every rank has a part:
///   Q = 2·max(√3·mnk/(p·√S), (mnk/p)^⅔) + (mnk/p)^⅔, L = 3^(3/2)·mnk/(p·S^(3/2)) + 3·log2 p.
/// The paper prints the lesser of the two; but a domain's edge is min((mnk/p)^⅓, √(S/3)) there, so
/// less memory costs more words, as in the table's own special case.
CommunicationCost recursive_decomposition(const ProductExtents& product, double ranks,
                                          double memory);

/// The domain of a rank after such a recursion on a power of two of ranks, without a limit of
/// memory (Kwasniewski et al. 2019, §2).
WorkDomain recursive_domain(const ProductExtents& product, double ranks);

/// a×a×b with a = min(√S, (mnk/p)^⅓), b = max(mnk/(pS), (mnk/p)^⅓) (Kwasniewski et al. 2019, eq
/// 32).
WorkDomain optimal_work_domain(const ProductExtents& product, double ranks, double memory);

/// ⌈2ab/(S − a²)⌉ (Kwasniewski et al. 2019, §6.3): the number of rounds in which A and B of a
/// domain arrive in the memory that C leaves, at most ⌈b⌉. With ⌈b⌉ rounds each has one outer
/// product.
double rounds_of(const WorkDomain& domain, double memory);

/// The trade-off between words and messages (Kwasniewski et al. 2019, §6.3): the cost of a rank
/// whose domain has a face of C of a × a, a < √S, instead of the domain of the fewest words:
///   Q = 2mnk/(pa) + a² words, L = 2mnk/(pa·(S − a²)) steps of as many outer products as fit.
/// A larger a, up to that of optimal_work_domain(), means fewer words; a close to √S means more
/// steps.
CommunicationCost traded_decomposition(const ProductExtents& product, double ranks, double memory,
                                       double a);

/// The tile of C that a schedule on one rank of S words keeps while it adds outer products to it. A
/// column of A's part and one element of B are in memory, too. Of all tiles with ab + a + 1 ≤ S it
/// has the most multiplications per word, ab/(a + b) (Kwasniewski et al. 2019, eqs 26 to 28):
///   a = ⌊(√(S−1)³ − S + 1)/(S − 2)⌋ = ⌊(S − 1)/(√(S−1) + 1)⌋,
///   b = ⌊−(2S + √(S−1)³ − S² − 1)/(√(S−1)³ − S + 1)⌋ = ⌊√(S−1)⌋.
struct SequentialTile {
  double rows = 0;     ///< a
  double columns = 0;  ///< b

  /// The words of A and B that the schedule loads, divided by the bound 2mnk/√S: √S·(a + b)/(2ab).
  double words_over_bound(double memory) const;
};
/// @param memory  S, at least 4.
SequentialTile sequential_tile(double memory);

/// m/a × n/a × k/b: Q = parallel_bound(), L = rounds_of()·log2(mn/a²).
CommunicationCost optimal_decomposition(const ProductExtents& product, double ranks, double memory);

}  // namespace cuboid::detail
