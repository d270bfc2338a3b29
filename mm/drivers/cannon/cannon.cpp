#include "mm/drivers/cannon/cannon.hpp"

#include <cuboid/error.hpp>

#include "mm/matrix/element_types.hpp"

#include <complex>

#include <fmt/format.h>

namespace cuboid::detail {

Rotation rotation_for_cannon(const GridShape& grid) {
  return Rotation({{grid.rows(), grid.columns()}}, 0, +1);
}

GridShape skewed_for_cannon(const GridShape& grid, Side side) {
  if (grid.rows() != grid.columns()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("Cannon: a layout skewed on a {} grid: give a square one, or let the "
                            "multiplication stagger",
                            to_string(grid)));
  }
  return skewed(grid, rotation_for_cannon(grid), side);
}

template <MatrixElement T>
CannonMultiplication<T>::CannonMultiplication(const Communicator& communicator,
                                              const GridShape& grid, const ProductLayouts& product)
    : RotatingMultiplication<T>(communicator, grid, {rotation_for_cannon(grid)}, product,
                                Sidedness::two_sided) {}

CUBOID_CLASS_FOR_ELEMENT_TYPES(CannonMultiplication);

}  // namespace cuboid::detail
