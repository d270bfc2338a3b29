#pragma once

#include <cuboid/mm/grid_shape.hpp>

#include <string>
#include <vector>

namespace cuboid {

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

}  // namespace cuboid
