#include "mm/matrix/process_grid.hpp"

#include <cuboid/error.hpp>

#include "mm/matrix/ranks.hpp"

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

GridShape require_ranks(const Communicator& communicator, const GridShape& shape) {
  if (shape.size() > communicator.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("process grid {} needs {} ranks, the communicator has {}: give a "
                            "smaller grid or more ranks",
                            to_string(shape), shape.size(), communicator.size()));
  }
  return shape;
}

}  // namespace

ProcessGrid::ProcessGrid(const Communicator& communicator, const GridShape& shape)
    : communicator_(communicator),
      shape_(require_ranks(communicator, shape)),
      position_(shape.position(communicator.rank())),
      row_(position_ ? communicator.split(position_->row, position_->column)
                     : communicator.split(no_part)),
      column_(position_ ? communicator.split(position_->column, position_->row)
                        : communicator.split(no_part)) {}

}  // namespace cuboid::detail
