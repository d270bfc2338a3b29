#pragma once

#include <cuboid/grid.hpp>
#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/multiply_options.hpp>

#include "collectives/selection/simulated_seconds.hpp"
#include "mm/decompositions/brick_grid.hpp"
#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/panels.hpp"
#include "mm/decompositions/rotation.hpp"
#include "models/messages/broadcast_factors.hpp"
#include "models/messages/log_gp.hpp"
#include "models/messages/parameters.hpp"
#include "models/messages/usual_parameters.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// The machine's rates on which the cost of a multiplication depends.
struct Rates {
  Hockney network;
  /// The rate of one rank's gemm while all ranks multiply.
  double multiplications_per_second = usual_core.multiplications_per_second;
  double memory_seconds_per_byte = 0;  ///< seconds to read and write a byte, while all ranks do so
  /// CPU time per byte received from another node, on the cores that multiply.
  double core_seconds_per_byte = 0;
  /// True if all ranks are on one node. There cores copy messages, so no message overlaps with a
  /// gemm.
  bool one_node = false;
  double burst_bytes = 0;  ///< burst of idle links between nodes, see TokenBuckets
  /// Overlap of transfers between nodes with a gemm, see Parameters.
  double overlap = usual_overlap;
  /// The broadcast of SUMMA's and HSUMMA's panels, one owner at a time and without regard to the
  /// network, as in Quintin et al. 2013. Unset: the broadcasts that Cuboid uses.
  std::optional<BroadcastModel> broadcast = std::nullopt;
  /// The predicted seconds of an operation of a line's ranks on `bytes` in all, by the algorithm
  /// that the user has fixed for it; nullopt if the user has fixed none for this operation. Null
  /// function: the user has fixed no algorithm.
  std::function<std::optional<double>(const LineOfNodes& line, Operation operation, double bytes)>
      fixed_algorithm = nullptr;
};

/// The planner's input: a product, the number of ranks, and the options that the user has fixed.
struct PlanRequest {
  ProductSize size;
  std::size_t element_bytes = sizeof(double);
  int ranks = 1;
  /// Memory per rank for its parts of the matrices and all buffers, in words, as in all models;
  /// messages to the user say bytes. Unset: no limit.
  std::optional<std::int64_t> memory = std::nullopt;
  std::optional<int> rounds = std::nullopt;
  std::optional<GridShape> grid = std::nullopt;  ///< for algorithms on two-dimensional grids
  std::optional<std::array<int, 3>> bricks = std::nullopt;  ///< COSMA's grid
  std::optional<double> idle_fraction = std::nullopt;       ///< COSMA's largest share of idle ranks
  std::optional<std::int64_t> panel_width = std::nullopt;   ///< SUMMA's
  std::optional<std::int64_t> outer_width = std::nullopt;   ///< HSUMMA's
  GroupChoice groups = {};                                  ///< HSUMMA's
  std::optional<int> layers = std::nullopt;                 ///< 2.5D's
  std::optional<LayerAlgorithm> inside = std::nullopt;      ///< 2.5D's
  bool replicated_operands = false;                         ///< 2.5D's
  Sidedness sides = Sidedness::two_sided;                   ///< COSMA's, CARMA's and SD-Cannon's
  bool copied_blocks = false;                               ///< SRUMMA's
  bool blocking_gets = false;                               ///< SRUMMA's
  bool blocks_by_arrival = false;                           ///< SRUMMA's
  bool one_direction = false;                               ///< SD-Cannon's
  bool binary_tree = false;                                 ///< COSMA's
  bool on_devices = false;                                  ///< the matrices lie in devices' memory
  /// The layouts of the matrices, each part in its rank's own memory. The cost of an algorithm
  /// that needs other layouts includes the redistribution. Unset: each algorithm gets the layouts
  /// it prefers, in memory shared within a node if that helps (see operands_to_share()).
  std::optional<ProductLayouts> stored = std::nullopt;
  /// The placement of the ranks on a torus or mesh. Grids are mapped onto it so that their lines
  /// are lines of the network. Unset, or not full: grids are numbered in rank order.
  std::optional<Placement> placement = std::nullopt;
};

/// One way to multiply, and its predicted cost.
struct PlanCandidate {
  MultiplicationAlgorithm algorithm = MultiplicationAlgorithm::summa;
  GridShape grid = {};                                ///< if the algorithm uses a 2D grid
  std::optional<BrickGrid> bricks = std::nullopt;     ///< used by COSMA and CARMA
  std::optional<LayeredGrid> layered = std::nullopt;  ///< used by 2.5D
  LayerAlgorithm inside = LayerAlgorithm::summa;      ///< used by 2.5D
  bool replicated_operands = false;                   ///< used by 2.5D
  std::vector<RotationDigit> digits = {};  ///< used by SD-Cannon: digits of `grid` or of a layer
  GroupShape groups = {};                  ///< groups of HSUMMA
  bool sample_groups = false;              ///< HSUMMA's groups are chosen by measurement
  int rounds = 1;                          ///< number of steps in which A and B arrive
  int row_tiles = 1;             ///< tiles of COSMA's bricks; each tile has `rounds` rounds
  int column_tiles = 1;          ///< tiles of COSMA's bricks along the columns
  std::int64_t panel_width = 0;  ///< panel width of SUMMA
  std::int64_t outer_width = 0;  ///< outer panel width of HSUMMA
  PanelOrder order = PanelOrder::in_turn;  ///< order of SUMMA's panels
  Sidedness sides = Sidedness::two_sided;  ///< used by COSMA, CARMA and SD-Cannon
  bool copied_blocks = false;              ///< used by SRUMMA
  bool blocking_gets = false;              ///< used by SRUMMA
  bool blocks_by_arrival = false;          ///< used by SRUMMA
  bool one_direction = false;              ///< used by SD-Cannon

  double work = 0;      ///< multiplications of the busiest rank
  double words = 0;     ///< matrix elements that the busiest rank receives
  double messages = 0;  ///< messages it receives; a broadcast counts as many as its tree has steps
  double memory = 0;    ///< words of memory of the rank that needs most
  double compute_seconds = 0;
  double communicate_seconds = 0;  ///< without overlap
  double seconds = 0;              ///< total, with overlap
  bool fits = true;                ///< true if it fits the memory limit
};

/// A plan counts as equal to the fastest plan if it takes at most `as_fast` times as long, and if
/// its busiest rank receives at most `few_words` times the fewest words of such plans. Of equal
/// plans the plan with the least memory comes first.
inline constexpr double as_fast = 1.03;
inline constexpr double few_words = 1.05;

/// Checks a request. Throws Error(invalid_argument) for ranks < 1, a negative extent, and options
/// that make no sense for the ranks and the extents.
void check_request(const PlanRequest& request);

/// The first candidate. If none fits, throws Error(out_of_memory) with the memory that would
/// suffice.
const PlanCandidate& cheapest(const std::vector<PlanCandidate>& candidates,
                              const PlanRequest& request);

/// A lower bound on the words that the busiest rank receives, for any algorithm: least_received().
double lower_bound_words(const PlanRequest& request);

}  // namespace cuboid::detail
