#pragma once

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
std::string_view to_string(MultiplicationAlgorithm algorithm);

/// Reads such a name. Throws Error(parse) listing them for anything else.
MultiplicationAlgorithm parse_multiplication_algorithm(std::string_view text);

/// Every algorithm but automatic.
std::span<const MultiplicationAlgorithm> multiplication_algorithms();

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
std::string to_string(const GroupShape& groups);

/// Every arrangement of a grid in groups, from one group to one per rank.
std::vector<GroupShape> group_shapes(const GridShape& grid);

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

}  // namespace cuboid
