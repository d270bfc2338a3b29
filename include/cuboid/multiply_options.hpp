#pragma once

#include <cuboid/export.hpp>
#include <cuboid/grid_shape.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// The multiplication algorithms. docs/papers.md names the papers in full, apart from R. van de
/// Geijn and J. Watts: "SUMMA: scalable universal matrix multiplication algorithm", 1997, and L.
/// Cannon: "A cellular computer to implement the Kalman filter algorithm", 1969.
enum class MultiplicationAlgorithm {
  automatic,         ///< the cheapest of the other algorithms, by the planner
  summa,             ///< panels broadcast along rows and columns (van de Geijn and Watts 1997)
  hsumma,            ///< SUMMA in groups of ranks (Quintin et al. 2013, algorithm 1)
  cannon,            ///< shifts along the rows and columns of the grid (Cannon 1969)
  sd_cannon,         ///< shifts in all directions of a torus (Solomonik and Demmel 2012)
  srumma,            ///< one-sided reads of remote blocks (Krishnan and Nieplocha 2004)
  two_and_a_half_d,  ///< layers that each hold copies (Solomonik et al. 2011, algorithm 1)
  carma,             ///< recursive splitting of the longest extent (Demmel et al. 2013)
  cosma,             ///< near-optimal bricks of m×n×k (Kwasniewski et al. 2019)
  stationary_a,      ///< SUMMA in which A stays in place and C is summed
  stationary_b,      ///< SUMMA in which B stays in place and C is summed
};

/// The way in which ranks get remote parts of A and B: by messages and collectives (two-sided), or
/// by reading and writing each other's memory (one-sided).
enum class Sidedness { two_sided, one_sided };

/// HSUMMA's arrangement of a process grid in rows × columns rectangular groups of equal shape.
struct GroupShape {
  int rows = 1;
  int columns = 1;

  /// The number of groups.
  int size() const { return rows * columns; }
  bool operator==(const GroupShape&) const = default;

  /// True if the groups divide the grid's rows and columns.
  bool divides(const GridShape& grid) const {
    return rows >= 1 && columns >= 1 && grid.rows() % rows == 0 && grid.columns() % columns == 0;
  }
};

/// "2x3".
CUBOID_API std::string to_string(const GroupShape& groups);

/// All arrangements of a grid in groups, from a single group to one group per rank.
CUBOID_API std::vector<GroupShape> group_shapes(const GridShape& grid);

/// The algorithm inside each layer of a 2.5D multiplication.
enum class LayerAlgorithm {
  summa,  ///< line multicasts (Solomonik et al. 2011, algorithm 1)
  /// Shifts (Solomonik and Demmel, "Communication-optimal parallel 2.5D matrix multiplication and
  /// LU factorization algorithms", 2011).
  cannon,
  /// Shifts over all dimensions and both directions of the layer's torus (Solomonik and Demmel
  /// 2012).
  sd_cannon,
  slabs,  ///< all-gathers that hide the summation over the layers
};

/// "summa", "cannon", "sd-cannon" or "slabs".
constexpr std::string_view to_string(LayerAlgorithm inside) {
  switch (inside) {
    case LayerAlgorithm::summa: return "summa";
    case LayerAlgorithm::cannon: return "cannon";
    case LayerAlgorithm::sd_cannon: return "sd-cannon";
    default: return "slabs";
  }
}

/// The choice of HSUMMA's groups: an arrangement, a number of groups, or a measurement of a few
/// steps of each arrangement (`sample`). If nothing is set, the model chooses the cheapest.
struct GroupChoice {
  std::optional<GroupShape> shape = std::nullopt;
  std::optional<int> count = std::nullopt;
  bool sample = false;
  bool operator==(const GroupChoice&) const = default;
};

/// Options of a multiplication. A named algorithm ignores options that do not concern it;
/// `automatic` considers only the algorithms that accept all options given.
struct MultiplyOptions {
  MultiplicationAlgorithm algorithm = MultiplicationAlgorithm::automatic;
  /// The process grid of algorithms that use a two-dimensional one. Unset: the cheapest.
  std::optional<GridShape> grid = std::nullopt;
  /// COSMA's grid: rows × columns × layers. Unset: the cheapest.
  std::optional<std::array<int, 3>> bricks = std::nullopt;
  /// The largest share of the ranks that COSMA leaves idle, 0 or more and less than 1, if a grid of
  /// fewer ranks moves less data. Unset: up to a tenth, as far as that saves time by the model.
  std::optional<double> idle_fraction = std::nullopt;
  /// Panel width of SUMMA, HSUMMA and 2.5D, >= 1; with A or B stationary, the panel width of C.
  /// Unset: 256; 128 over a network; 1024 on devices; all of k on a single rank.
  std::optional<std::int64_t> panel_width = std::nullopt;
  /// HSUMMA's panel width between groups, >= panel_width. Unset: four times panel_width.
  std::optional<std::int64_t> outer_width = std::nullopt;
  /// HSUMMA's groups. Unset: the cheapest.
  GroupChoice groups = {};
  /// 2.5D's number of layers, >= 1. Unset: the cheapest that fits the memory limit.
  std::optional<int> layers = std::nullopt;
  /// The algorithm inside 2.5D's layers. Unset: the cheapest that fits the memory limit.
  std::optional<LayerAlgorithm> inside = std::nullopt;
  /// True if 2.5D finds A and B on its first layer, multicasts them whole to every layer and sums C
  /// there, as in Solomonik et al. 2011, algorithm 1, with SUMMA inside. False: each layer has its
  /// slice of A and B and its share of C.
  bool replicated_operands = false;
  /// The number of rounds in which COSMA's and CARMA's operands arrive, 1 to k. Unset: the planner
  /// chooses it by overlap and memory.
  std::optional<int> rounds = std::nullopt;
  /// Bytes of memory per rank for its parts of the matrices and all buffers. Unset: no limit.
  std::optional<std::int64_t> memory_limit = std::nullopt;
  /// The way in which COSMA, CARMA and SD-Cannon communicate.
  Sidedness sides = Sidedness::two_sided;
  /// True if SRUMMA copies the blocks of ranks of its own node before it multiplies them, like the
  /// blocks of other nodes (Krishnan and Nieplocha 2004, §3.2). False: it multiplies them in place.
  bool copied_blocks = false;
  /// True if SRUMMA waits for each block that it copies before it does anything else (Krishnan and
  /// Nieplocha 2004, figure 9). False: it multiplies another block meanwhile.
  bool blocking_gets = false;
  /// True if SRUMMA multiplies the blocks in flight in the order in which they arrive. Sums are
  /// added in that order, too: their last bits may differ from run to run. False: the order is
  /// known beforehand.
  bool blocks_by_arrival = false;
  /// True if SD-Cannon shifts blocks in only one direction of each dimension (Solomonik and Demmel
  /// 2012, §2.3), for networks whose links go one way.
  bool one_direction = false;
  /// True if COSMA gathers faces, and sums C, in steps between few ranks, two where the grid allows
  /// it. In each step the part that a rank holds doubles (Kwasniewski et al. 2019, §7.2). False:
  /// one collective of all ranks that share the face does it.
  bool binary_tree = false;
  /// True if the product is planned by a usual core's rate. Every run takes the same plan then, and
  /// gives the same bits. False: by the rate of the cores, which is measured and differs from run
  /// to run.
  bool planned_by_usual_rate = false;
  /// True if every rank's parts of the matrices lie in a device's memory. Then algorithms are
  /// preferred whose panels travel from device to device; with other algorithms, matrices are
  /// copied to the host and back. multiply() sets it by itself.
  bool on_devices = false;
  bool operator==(const MultiplyOptions&) const = default;
};

/// The seconds that this rank spends in each phase of a multiplication. Phases do not overlap: a
/// broadcast that is hidden by a gemm counts as gemm; only the remaining waiting time counts as
/// broadcast.
struct PhaseSeconds {
  double distribute = 0;  ///< redistribution of the operands
  double broadcast = 0;   ///< packing, starting and waiting for communication
  double gemm = 0;

  PhaseSeconds& operator+=(const PhaseSeconds& more) {
    distribute += more.distribute;
    broadcast += more.broadcast;
    gemm += more.gemm;
    return *this;
  }
};

}  // namespace cuboid
