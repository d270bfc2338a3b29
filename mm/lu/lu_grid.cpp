#include "mm/lu/lu_grid.hpp"

#include <cuboid/error.hpp>

#include "mm/matrix/ranks.hpp"

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

const LayeredGrid& checked(const Communicator& communicator, const LayeredGrid& grid) {
  if (grid.size() > communicator.size()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("factorise: a {} grid needs {} ranks, there are {}: give a smaller grid or "
                    "more ranks",
                    to_string(grid), grid.size(), communicator.size()));
  }
  return grid;
}

}  // namespace

LuGrid::LuGrid(const Communicator& communicator, const LayeredGrid& grid)
    : shape(checked(communicator, grid)),
      here(grid.position(communicator.rank())),
      row(communicator.split(here ? here->layer * grid.rows() + here->row : no_part,
                             here ? here->column : 0)),
      column(communicator.split(here ? here->layer * grid.columns() + here->column : no_part,
                                here ? here->row : 0)),
      line(communicator.split(here ? here->row * grid.columns() + here->column : no_part,
                              here ? here->layer : 0)),
      row_plane(communicator.split(here ? here->row : no_part,
                                   here ? here->layer * grid.columns() + here->column : 0)),
      column_plane(communicator.split(here ? here->column : no_part,
                                      here ? here->layer * grid.rows() + here->row : 0)) {}

}  // namespace cuboid::detail
