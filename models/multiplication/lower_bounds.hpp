#pragma once

#include "models/multiplication/product_extents.hpp"

#include <optional>

namespace cuboid::detail {

/// Lower bounds, in matrix elements, on the data that a classical multiplication moves: between a
/// fast memory of S words and a slow memory of one processor, or between p ranks with S words each.

/// 2mnk/√S + mn: sequential (Kwasniewski et al. 2019, theorem 1).
double sequential_bound(const ProductExtents& product, double memory);

/// 2w/a + a² with w = mnk/p and a = min(√S, w^⅓): the elements of A, B and C that a rank must hold
/// at some time (Kwasniewski et al. 2019, theorem 2 with eq 32). That is 2w/√S + S if the memory
/// cannot hold a cube's face, otherwise 3·w^⅔. (Eq 33 takes the smaller of these two, but the
/// second never exceeds the first; the domain of eq 32 requires the one given here.) Valid if the
/// matrices fit, p·S ≥ mn + mk + nk. A rank must receive these elements except those that it owns,
/// see least_received().
double parallel_bound(const ProductExtents& product, double ranks, double memory);

/// mnk/(2√2·p·√S) − S, at least 0: words that some rank must send and receive (Irony, Toledo and
/// Tiskin 2004, theorem 3.1; Kwasniewski et al. 2019, §5 estimates half of the first term).
double irony_toledo_tiskin_bound(const ProductExtents& product, double ranks, double memory);

/// A lower bound on the words that the busiest rank receives, for any algorithm. For extents d1 ≥
/// d2 ≥ d3 and work w = mnk/p per rank (Al Daas, Ballard, Grigori, Kumar, Rouse: "Tight
/// memory-independent parallel matrix multiplication communication lower bounds", 2022):
///   p ≤ d1/d2:            (1 − 1/p)·d2·d3
///   p ≤ d1·d2/d3²:        2·√(d1·d2·d3²/p) − (d1 + d2)·d3/p
///   more ranks:           3·w^⅔ − (mn + mk + nk)/p (Kwasniewski et al. 2019,
///                         theorem 2, less what a rank owns);
/// and, if S words of memory cannot hold a cube's face, at least 2w/√S + S less what it owns. 0
/// with one rank.
double least_received(const ProductExtents& product, double ranks,
                      std::optional<double> memory = std::nullopt);

/// n²/√(cP) words and √(P/c³) messages: a bound for any dense multiplication or LU with memory for
/// c copies (Solomonik et al. 2011, eqs 1 and 2; constants left out there).
CommunicationCost layered_bound(double n, double ranks, double layers);

}  // namespace cuboid::detail
