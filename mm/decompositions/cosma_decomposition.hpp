#pragma once

#include "mm/decompositions/brick_grid.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// The maximum share of ranks that COSMA leaves idle if a grid of fewer ranks moves less data
/// (Kwasniewski et al. 2019, §7.1). Example: on 65 ranks a 4x4x4 grid costs 1.5% more work and 36%
/// fewer words than any grid of all 65.
inline constexpr double default_idle_share = 0.03;

/// The aim of the choice of a grid if ranks may idle.
enum class CosmaAim {
  /// Fewest words per rank at work: idle ranks must save a larger share of the words than their
  /// share of the work.
  balance,
  fewest_words,  ///< fewest words, however much work idle ranks leave to the other ranks
};

/// The limits of a COSMA decomposition.
struct CosmaLimits {
  /// Memory in words per rank for its shares of A, B and C and all buffers. Unset: no limit.
  std::optional<std::int64_t> memory = std::nullopt;
  double idle_share = default_idle_share;
  CosmaAim aim = CosmaAim::balance;
  /// Fixed rows × columns × layers of bricks.
  std::optional<std::array<int, 3>> grid = std::nullopt;
  /// Fixed number of rounds in which A and B arrive.
  std::optional<int> rounds = std::nullopt;
};

/// The local domain of a near-optimal schedule: b outer products of vectors of length a.
struct LocalDomain {
  double a = 0;
  double b = 0;
};

/// a = min(√S, (mnk/p)^⅓), b = max(mnk/(pS), (mnk/p)^⅓) (Kwasniewski et al. 2019, equation 32).
/// @param memory  S, words per rank.
LocalDomain optimal_domain(const ProductSize& size, double ranks, double memory);

/// ⌈2ab / (S − a²)⌉ (Kwasniewski et al. 2019, §6.3): the minimum number of rounds in which A and B
/// of a domain arrive in the memory beside C; at most ⌈b⌉, one outer product per round.
std::int64_t fewest_rounds(const LocalDomain& domain, double memory);

/// COSMA's decomposition of a product for some number of ranks (Kwasniewski et al. 2019, algorithm
/// 1, lines 1 to 7).
struct CosmaDecomposition {
  LocalDomain domain;  ///< the domain that the grid approximates
  BrickGrid grid;
  BrickSteps steps;
  double memory = 0;  ///< words on the rank with the most words
};

/// Fits a grid of bricks to the optimal domain. It considers all grids of p(1 − δ) … p ranks (at
/// most 1024 ranks idle) whose bricks fit into memory; for CosmaAim::balance bricks must not be
/// larger than the idle ranks explain. It takes the grid whose busiest rank receives the fewest
/// words, as the aim counts them. Lines with the most traffic get neighbouring ranks. The number of
/// rounds keeps panels wide enough for the local gemm; limited memory may require more rounds. If
/// no number of rounds fits, because layers hold whole contributions to C, the brick is cut into
/// tiles as well, at most 16 along each axis: the tiles of the fewest words that fit. Pure; the
/// same on every rank.
///
/// No other of these grids moves less, but not every number of ranks has a grid near the lower
/// bound (theorem 2, less what a rank owns), which ignores that extents are whole numbers. Near the
/// bound, bricks have equal faces. For a cube of work that needs three factors near the cube root
/// of the number of ranks, for flat work two factors in proportion. Long work is cut within 1% of
/// the bound by any number of ranks. A cube is cut within 5% by 8, 12, 18, 27, 36, 48, 60, 64 and
/// similar numbers, but not by 4 (1.14), 16 (1.10) or 32 (1.07). Prime numbers cut one axis only
/// and cost several times the bound. From 34 ranks on, one rank may be idle, so a prime number
/// costs as much as the number below it.
///
/// Throws Error(invalid_argument) for ranks < 1, rounds < 1, or a grid of more ranks than there
/// are; Error(out_of_memory) with the memory that would suffice if no grid fits into the limit.
CosmaDecomposition decompose_for_cosma(const ProductSize& size, int ranks,
                                       const CosmaLimits& limits = {});

/// The minimum memory in words per rank over all grids, tiles and numbers of rounds that the limits
/// allow.
/// Pure. Throws Error(invalid_argument) as decompose_for_cosma().
double least_memory_for_cosma(const ProductSize& size, int ranks, const CosmaLimits& limits = {});

/// The memory in words of a rank with the largest brick: its shares of A, B and C; the panels of A
/// and B in flight (two of each with several steps, none of an operand that no other rank shares);
/// and, if other layers contribute to C, its own contribution to a tile and the contributions that
/// it receives.
double brick_memory(const BrickGrid& grid, const BrickSteps& steps);

}  // namespace cuboid::detail
