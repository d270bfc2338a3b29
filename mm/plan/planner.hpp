#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/placement.hpp>
#include <cuboid/product_layouts.hpp>

#include "mm/decompositions/brick_grid.hpp"
#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/panels.hpp"
#include "mm/decompositions/rotation.hpp"
#include "models/messages/hockney.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// What ranks compute and communicate with, as far as the price of a multiplication depends on it.
struct Rates {
  Hockney network;
  double multiplications_per_second = 1e10;  ///< of one rank's gemm, all ranks multiplying at once
  double memory_seconds_per_byte = 0;        ///< to read and write one, likewise
  /// What a byte that a rank receives from another node takes of the cores that ranks multiply
  /// with.
  double core_seconds_per_byte = 0;
  /// Whether all ranks are on one: cores copy messages then, none travels while a rank multiplies.
  bool one_node = false;
  double burst_bytes = 0;  ///< of links between nodes, see TokenBuckets
};

/// What is to be planned: a product, the ranks there are for it, and what the user has fixed.
struct PlanRequest {
  ProductSize size;
  std::size_t element_bytes = sizeof(double);
  int ranks = 1;
  /// Words per rank for its shares of the matrices and what is on its way. Unset: no limit.
  std::optional<std::int64_t> memory = std::nullopt;
  std::optional<int> rounds = std::nullopt;
  std::optional<GridShape> grid = std::nullopt;  ///< of the algorithms on two-dimensional grids
  std::optional<std::array<int, 3>> bricks = std::nullopt;  ///< COSMA's grid
  std::optional<std::int64_t> panel_width = std::nullopt;   ///< SUMMA's
  std::optional<std::int64_t> outer_width = std::nullopt;   ///< HSUMMA's
  GroupChoice groups = {};                                  ///< HSUMMA's
  std::optional<int> layers = std::nullopt;                 ///< 2.5D's
  std::optional<LayerAlgorithm> inside = std::nullopt;      ///< 2.5D's
  Sidedness sides = Sidedness::two_sided;                   ///< of bricks, and SD-Cannon's
  /// How the matrices lie, each part in memory of its rank's own; where an algorithm wants them
  /// otherwise, its price includes bringing them there and back. Unset: they lie as each algorithm
  /// likes, in memory that a node's ranks share if that is of use (see operands_to_share()).
  std::optional<ProductLayouts> stored = std::nullopt;
  /// Where the ranks are on a torus or mesh: grids are laid on it so that their lines are its
  /// lines. Unset, or not full: grids are numbered as the ranks are.
  std::optional<Placement> placement = std::nullopt;
};

/// One way to multiply and what it should cost.
struct PlanCandidate {
  MultiplicationAlgorithm algorithm = MultiplicationAlgorithm::summa;
  GridShape grid = {};                                ///< of ranks, where it is two-dimensional
  std::optional<BrickGrid> bricks = std::nullopt;     ///< where the work is cut into these instead
  std::optional<LayeredGrid> layered = std::nullopt;  ///< of 2.5D
  LayerAlgorithm inside = LayerAlgorithm::summa;      ///< likewise
  std::vector<Turn> turns = {};                       ///< of SD-Cannon, the digits of `grid`
  GroupShape groups = {};                             ///< of HSUMMA
  bool sample_groups = false;                         ///< instead, they are found by trying
  int rounds = 1;                                     ///< steps in which A and B arrive
  std::int64_t panel_width = 0;                       ///< of SUMMA
  std::int64_t outer_width = 0;                       ///< of HSUMMA
  PanelOrder order = PanelOrder::in_turn;             ///< of SUMMA
  Sidedness sides = Sidedness::two_sided;             ///< of bricks, and SD-Cannon's

  double work = 0;      ///< multiplications of the busiest rank
  double words = 0;     ///< matrix elements that the busiest rank receives
  double messages = 0;  ///< that it receives, a broadcast counting as many as a tree has steps
  double memory = 0;    ///< words on the fullest rank
  double compute_seconds = 0;
  double communicate_seconds = 0;  ///< if nothing hid it
  double seconds = 0;              ///< from beginning to end
  bool fits = true;                ///< into the memory limit
};

/// All candidates of the given algorithms, those that fit first, the soonest done first, but for
/// the very first: that is the one of least memory among the algorithms that are as good as the
/// soonest within 2%. Of an algorithm every grid that is not worse in all respects than another.
/// Pure; the same on every rank.
///
/// Words are those of 000 table 3 with whole rows and columns and less what a rank owns. Seconds
/// follow Hockney's model (003 §IV): broadcasts count as many messages as a binomial tree has
/// steps; where grids are laid on a torus or mesh, A's and B's words come at once, each over as
/// many links as its lines have; else one after the other over one link. A rank receives its
/// messages one after the other, a share of 1/rounds before it can begin, the rest under the gemm
/// where the machine overlaps; sums of C follow at the end. Throws Error(invalid_argument) for
/// ranks < 1, a negative extent, less than one layer, or a grid of too many ranks.
std::vector<PlanCandidate> plan_candidates(
    const PlanRequest& request, const Rates& rates,
    std::span<const MultiplicationAlgorithm> algorithms = multiplication_algorithms());

/// The first candidate. Throws Error(out_of_memory) saying what would do where none fits.
const PlanCandidate& cheapest(const std::vector<PlanCandidate>& candidates,
                              const PlanRequest& request);

/// The least words that the busiest rank of any algorithm receives. For extents d1 >= d2 >= d3 and
/// work w = mnk/p per rank (Al Daas, Ballard, Grigori, Kumar, Rouse: "Tight memory-independent
/// parallel matrix multiplication communication lower bounds", 2022):
///   p <= d1/d2:            (1 - 1/p)·d2·d3
///   p <= d1·d2/d3²:        2·√(d1·d2·d3²/p) - (d1 + d2)·d3/p
///   more ranks:            3·w^⅔ - (mn + mk + nk)/p, theorem 2 of 000 less what a rank owns;
/// and where a memory of S words has no room for a cube's face, 2w/√S + S less what it owns, if
/// that is more. With one rank 0.
double lower_bound_words(const PlanRequest& request);

}  // namespace cuboid::detail
