#include "mm/drivers/layered/layer_copy.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/matrix/ranks.hpp"

#include <complex>
#include <cstddef>

namespace cuboid::detail {

std::optional<LayerRanks> layer_ranks(const Communicator& communicator, const LayeredGrid& grid) {
  const auto here = grid.position(communicator.rank());
  const int place = here ? here->row * grid.columns() + here->column : 0;
  Communicator layer = communicator.split(here ? here->layer : no_part, place);
  Communicator line = communicator.split(here ? place : no_part, here ? here->layer : 0);
  if (!here) return std::nullopt;
  return LayerRanks{*here, layer, line};
}

template <MatrixElement T>
LayerCopy<T>::LayerCopy(const LayerRanks& ranks, const Layout& whole, const BlockRange& slice)
    : whole_(ranks.layer, whole),
      slice_(slice),
      is_root_(ranks.here.layer == 0),
      multicast_(plan_broadcast(
          ranks.line,
          {whole_.data(), static_cast<std::size_t>(whole_.local_rows() * whole_.local_columns()),
           datatype_of<T>()},
          0)) {}

template <MatrixElement T>
void LayerCopy<T>::replicate(const Matrix<T>& operand) {
  if (is_root_) copy(operand.local(), whole_.local());
  multicast_.run();
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(LayerCopy);

}  // namespace cuboid::detail
