#include <cuboid/error.hpp>
#include <cuboid/irregular_layout.hpp>

#include "base/saturating.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_views.hpp"

#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

template <MatrixElement T>
LocalView<T> shape_of(const BlockRange& block) {
  return dense_view<T>(nullptr, block.rows.extent(), block.columns.extent());
}

}  // namespace

template <MatrixElement T>
IrregularMatrix<T>::IrregularMatrix(const Communicator& communicator, IrregularLayout layout,
                                    std::vector<LocalView<T>> blocks)
    : communicator_(communicator),
      layout_(std::move(layout)),
      places_(layout_.blocks_of(communicator.rank())),
      blocks_(std::move(blocks)) {
  if (layout_.last_rank() >= communicator.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("irregular matrix: rank {} stores a block, the communicator has {} "
                            "ranks",
                            layout_.last_rank(), communicator.size()));
  }
}

template <MatrixElement T>
IrregularMatrix<T>::IrregularMatrix(const Communicator& communicator, IrregularLayout layout)
    : IrregularMatrix(communicator, std::move(layout), std::vector<LocalView<T>>()) {
  const auto purpose =
      fmt::format("the blocks of a {}x{} {} matrix", layout_.m(), layout_.n(), element_name<T>());
  std::int64_t elements = 0;
  for (const auto& place : places_) {
    blocks_.push_back(shape_of<T>(layout_.block(place)));
    elements =
        saturating_sum(elements, saturating_product(blocks_.back().rows, blocks_.back().columns));
  }
  memory_.reset(
      static_cast<T*>(allocate_aligned(checked_bytes(elements, sizeof(T), purpose), purpose)));
  T* next = memory_.get();
  for (LocalView<T>& block : blocks_) {
    block.data = next;
    next += block.rows * block.columns;
  }
}

template <MatrixElement T>
IrregularMatrix<T> IrregularMatrix<T>::wrap(const Communicator& communicator,
                                            IrregularLayout layout,
                                            std::vector<LocalView<T>> blocks) {
  IrregularMatrix matrix(communicator, std::move(layout), std::move(blocks));
  bool fits = matrix.blocks_.size() == matrix.places_.size();
  for (std::size_t block = 0; fits && block < matrix.blocks_.size(); ++block) {
    const LocalView<T>& given = matrix.blocks_[block];
    const LocalView<T> wanted = shape_of<T>(matrix.layout_.block(matrix.places_[block]));
    fits = given.rows == wanted.rows && given.columns == wanted.columns &&
           given.leading_dimension >= wanted.leading_dimension;
  }
  if (!fits) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("irregular matrix: rank {} gives {} blocks: give one of its shape for "
                            "each of the {} that the layout says",
                            communicator.rank(), matrix.blocks_.size(), matrix.places_.size()));
  }
  return matrix;
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(IrregularMatrix);

}  // namespace cuboid
