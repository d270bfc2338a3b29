#pragma once

#include "mm/decompositions/brick_grid.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// The share of ranks that COSMA leaves idle, at most, where a grid of fewer ranks moves less data
/// (000 §7.1): on 65 ranks a 4x4x4 grid costs 1.5% more work and 36% fewer words than any grid of
/// all of them.
inline constexpr double default_idle_share = 0.03;

/// What COSMA may use.
struct CosmaLimits {
  /// Words of memory per rank: its shares of A, B and C and what is on its way. Unset: no limit.
  std::optional<std::int64_t> memory = std::nullopt;
  double idle_share = default_idle_share;
  /// Rows × columns × layers of bricks instead of the fitted ones.
  std::optional<std::array<int, 3>> grid = std::nullopt;
  /// Rounds in which A and B arrive, instead of as many as suit overlap and memory.
  std::optional<int> rounds = std::nullopt;
};

/// The local domain of a near-optimal schedule: b outer products of vectors of length a.
struct LocalDomain {
  double a = 0;
  double b = 0;
};

/// a = min(√S, (mnk/p)^⅓), b = max(mnk/(pS), (mnk/p)^⅓) (000 equation 32).
/// @param memory  S, words per rank.
LocalDomain optimal_domain(const ProductSize& size, double ranks, double memory);

/// ⌈2ab / (S − a²)⌉ (000 §6.3), the fewest rounds in which A and B of a domain arrive in memory
/// that C leaves; at most ⌈b⌉, one outer product a round.
std::int64_t fewest_rounds(const LocalDomain& domain, double memory);

/// COSMA's decomposition of a product for some number of ranks (000 algorithm 1, lines 1 to 7).
struct CosmaDecomposition {
  LocalDomain domain;  ///< what the grid approximates
  BrickGrid grid;
  int rounds = 1;
  double memory = 0;  ///< words on the fullest rank
};

/// Fits a grid of bricks to the optimal domain: of all grids of p(1 − δ) … p ranks whose bricks are
/// not larger than that loss of ranks makes them and fit into memory, the one whose busiest rank
/// receives the fewest words, where idle ranks save a larger share of them than of the work. The
/// busiest fibres get neighbouring ranks. Then the rounds: as many as keep panels wide enough for
/// the local gemm, more where memory asks for it. Pure; the same on every rank.
///
/// That is the best of all grids, but a grid is not always near the lower bound (theorem 2, less
/// what a rank owns), which knows nothing of whole numbers: it wants bricks whose faces are equal,
/// so a number of ranks with three factors near its cube root for a cube of work, with two in
/// proportion for a flat one. Long work is cut within 1% of the bound by any number of ranks, a
/// cube within 5% by 8, 12, 18, 27, 36, 48, 60, 64 and their like, but not by 4 (1.14), 16 (1.10)
/// or 32 (1.07), and by prime numbers of ranks, which leave only slices, at several times the
/// bound. From 34 ranks on one may stay idle, so that primes cost what the number below them does.
///
/// Throws Error(invalid_argument) for ranks < 1, rounds < 1, or a grid of more ranks than there
/// are; Error(out_of_memory) saying what would do where no grid fits into the limit.
CosmaDecomposition decompose_for_cosma(const ProductSize& size, int ranks,
                                       const CosmaLimits& limits = {});

/// The least words per rank that any grid for so many ranks takes, in as many rounds as it likes or
/// those that are given. Pure; throws Error(invalid_argument) as decompose_for_cosma() does.
double least_memory_for_cosma(const ProductSize& size, int ranks, const CosmaLimits& limits = {});

/// Words that a rank with the largest brick needs: its shares of A, B and C, the panels of A and B
/// on their way (two of each where there are several rounds, none where no other rank has a part of
/// it), and where other layers add to C its contribution and what comes to be added.
double brick_memory(const BrickGrid& grid, std::int64_t rounds);

}  // namespace cuboid::detail
