#pragma once

#include <cuboid/grid_shape.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// The multiplication algorithms.
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

/// Reads such a name. Throws Error(parse) that lists the names for anything else.
MultiplicationAlgorithm parse_multiplication_algorithm(std::string_view text);

/// All algorithms except automatic.
std::span<const MultiplicationAlgorithm> multiplication_algorithms();

/// How ranks get remote parts of A and B: by messages and collectives (two-sided), or by reading
/// and writing each other's memory (one-sided).
enum class Sidedness { two_sided, one_sided };

/// HSUMMA's arrangement of a process grid in rows × columns rectangular groups of equal shape.
struct GroupShape {
  int rows = 1;
  int columns = 1;

  int size() const { return rows * columns; }
  bool operator==(const GroupShape&) const = default;

  /// Whether the groups divide the grid's rows and columns.
  bool divides(const GridShape& grid) const {
    return rows >= 1 && columns >= 1 && grid.rows() % rows == 0 && grid.columns() % columns == 0;
  }
};

/// "2x3".
std::string to_string(const GroupShape& groups);

/// All arrangements of a grid in groups, from one group to one group per rank.
std::vector<GroupShape> group_shapes(const GridShape& grid);

/// The algorithm inside each layer of a 2.5D multiplication.
enum class LayerAlgorithm {
  summa,   ///< line multicasts (Solomonik et al. 2011, algorithm 1)
  cannon,  ///< shifts (Solomonik and Demmel, "Communication-optimal parallel 2.5D matrix
           ///< multiplication and LU factorization algorithms", 2011)
  slabs,   ///< all-gathers that hide the summation over the layers (SlabbedLayer)
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
