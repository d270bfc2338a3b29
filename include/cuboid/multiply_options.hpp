#pragma once

#include <cuboid/export.hpp>
#include <cuboid/grid_shape.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// How matrices are multiplied.
enum class MultiplicationAlgorithm {
  automatic,  ///< the cheapest of the others, by the planner
  summa,
  hsumma,
  cannon,
  sd_cannon,
  srumma,
  two_and_a_half_d,
  carma,
  cosma,
};

/// "auto", "summa", "hsumma", "cannon", "sd-cannon", "srumma", "2.5d", "carma" or "cosma".
CUBOID_API std::string_view to_string(MultiplicationAlgorithm algorithm);

/// Reads such a name. Throws Error(parse) listing them for anything else.
CUBOID_API MultiplicationAlgorithm parse_multiplication_algorithm(std::string_view text);

/// Every algorithm but automatic.
CUBOID_API std::span<const MultiplicationAlgorithm> multiplication_algorithms();

/// How ranks get what they lack of A and B: by collectives in which all take part, or from each
/// other's memory without the other's help.
enum class Sidedness { two_sided, one_sided };

/// HSUMMA's arrangement of a process grid's ranks in rectangular groups: rows × columns of groups,
/// all of the same shape.
struct GroupShape {
  int rows = 1;
  int columns = 1;

  int size() const { return rows * columns; }
  bool operator==(const GroupShape&) const = default;

  /// Whether the grid's rows and columns can be cut so.
  bool divides(const GridShape& grid) const {
    return rows >= 1 && columns >= 1 && grid.rows() % rows == 0 && grid.columns() % columns == 0;
  }
};

/// "2x3".
CUBOID_API std::string to_string(const GroupShape& groups);

/// Every arrangement of a grid in groups, from one group to one per rank.
CUBOID_API std::vector<GroupShape> group_shapes(const GridShape& grid);

/// How each layer of a 2.5D multiplication multiplies its slice.
enum class LayerAlgorithm {
  summa,   ///< line multicasts (004, algorithm 1)
  cannon,  ///< shifts (Solomonik and Demmel, "Communication-optimal parallel 2.5D matrix
           ///< multiplication and LU factorization algorithms", 2011)
  slabs,   ///< all-gathers, with the layers' sums under them (SlabbedLayer)
};

/// "summa", "cannon" or "slabs".
constexpr std::string_view to_string(LayerAlgorithm inside) {
  switch (inside) {
    case LayerAlgorithm::summa: return "summa";
    case LayerAlgorithm::cannon: return "cannon";
    default: return "slabs";
  }
}

/// HSUMMA's groups as far as they are fixed: their arrangement, or only how many, or that a few
/// steps of each are to show which are best. Nothing: the cheapest.
struct GroupChoice {
  std::optional<GroupShape> shape = std::nullopt;
  std::optional<int> count = std::nullopt;
  bool sample = false;
};

/// What is given to a named algorithm that it has no use for is left aside; `automatic` chooses
/// among those that have a use for all of it.
struct MultiplyOptions {
  MultiplicationAlgorithm algorithm = MultiplicationAlgorithm::automatic;
  /// The process grid of algorithms that multiply on a two-dimensional one. Unset: the cheapest.
  std::optional<GridShape> grid = std::nullopt;
  /// COSMA's bricks: rows × columns × layers. Unset: fitted.
  std::optional<std::array<int, 3>> bricks = std::nullopt;
  /// SUMMA's panel width, >= 1, also HSUMMA's and 2.5D's. Unset: default_panel_width, half of it
  /// where panels cross a network, all of k on a single rank.
  std::optional<std::int64_t> panel_width = std::nullopt;
  /// HSUMMA's width between groups, >= its panel width. Unset: four panels.
  std::optional<std::int64_t> outer_width = std::nullopt;
  /// HSUMMA's groups. Unset: the cheapest.
  GroupChoice groups = {};
  /// 2.5D's layers, >= 1, and what multiplies inside them. Unset: the cheapest that fit.
  std::optional<int> layers = std::nullopt;
  std::optional<LayerAlgorithm> inside = std::nullopt;
  /// Rounds in which COSMA's and CARMA's operands arrive, 1 to k. Unset: as suits overlap and
  /// memory.
  std::optional<int> rounds = std::nullopt;
  /// Bytes per rank for its shares of the matrices and what is on its way. Unset: no limit.
  std::optional<std::int64_t> memory_limit = std::nullopt;
  /// How blocks come to a rank in COSMA, CARMA and SD-Cannon.
  Sidedness sides = Sidedness::two_sided;
};

/// Where the time of a multiplication went on this rank, in seconds. Phases do not overlap: a
/// broadcast that runs under a gemm shows as gemm, only the waiting that is left shows as
/// broadcast.
struct PhaseSeconds {
  double distribute = 0;  ///< bringing operands into another layout
  double broadcast = 0;   ///< packing, starting and waiting for what travels
  double gemm = 0;
};

}  // namespace cuboid
