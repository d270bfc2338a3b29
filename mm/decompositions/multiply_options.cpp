#include <cuboid/multiply_options.hpp>

#include <fmt/format.h>

namespace cuboid {

std::string to_string(const GroupShape& groups) {
  return fmt::format("{}x{}", groups.rows, groups.columns);
}

std::vector<GroupShape> group_shapes(const GridShape& grid) {
  std::vector<GroupShape> shapes;
  for (int rows = 1; rows <= grid.rows(); ++rows) {
    for (int columns = 1; columns <= grid.columns(); ++columns) {
      const GroupShape groups{rows, columns};
      if (groups.divides(grid)) shapes.push_back(groups);
    }
  }
  return shapes;
}

}  // namespace cuboid
