#pragma once

#include "models/multiplication/product_extents.hpp"

#include <optional>

namespace cuboid::detail {

/// Lower bounds, in matrix elements, on what is moved by a classical multiplication: by one
/// processor between a fast memory of S words and a slow one, or by one of p ranks of S words each.

/// 2mnk/√S + mn: sequential (000 theorem 1).
double sequential_bound(const ProductExtents& product, double memory);

/// 2w/a + a² with w = mnk/p and a = min(√S, w^⅓): elements of A, B and C that a rank must hold in
/// turn (000 theorem 2 with eq 32). That is 2w/√S + S where the memory has no room for a cube's
/// face, else 3·w^⅔. (Eq 33 takes the lesser of these two, but the second is never more than the
/// first; the domain of eq 32 needs the one given here.) Valid where the matrices fit, p·S ≥ mn +
/// mk + nk. What a rank must receive is less by what it owns, see least_received().
double parallel_bound(const ProductExtents& product, double ranks, double memory);

/// mnk/(2√2·p·√S) − S, at least 0: what some rank must send and receive (Irony, Toledo, Tiskin
/// 2004, theorem 3.1; 000 §5 estimates half of the first term).
double irony_toledo_tiskin_bound(const ProductExtents& product, double ranks, double memory);

/// The least words that the busiest rank of any algorithm receives. For extents d1 ≥ d2 ≥ d3 and
/// work w = mnk/p per rank (Al Daas, Ballard, Grigori, Kumar, Rouse: "Tight memory-independent
/// parallel matrix multiplication communication lower bounds", 2022):
///   p ≤ d1/d2:            (1 − 1/p)·d2·d3
///   p ≤ d1·d2/d3²:        2·√(d1·d2·d3²/p) − (d1 + d2)·d3/p
///   more ranks:           3·w^⅔ − (mn + mk + nk)/p, theorem 2 of 000 less what a rank owns;
/// and where a memory of S words has no room for a cube's face, 2w/√S + S less what it owns, if
/// that is more. With one rank 0.
double least_received(const ProductExtents& product, double ranks,
                      std::optional<double> memory = std::nullopt);

/// n²/√(cP) words and √(P/c³) messages: any dense multiplication or LU with memory for c copies
/// (004 eqs 1 and 2; constants left out there).
CommunicationCost layered_bound(double n, double ranks, double layers);

/// Seconds that a collective on m bytes takes at least where no more than so many of its bytes can
/// flow per second (topology/cut_bound.hpp). 0 for an infinite rate.
double cut_bound_seconds(double bytes, double bytes_per_second);

}  // namespace cuboid::detail
