#include "mm/drivers/layered/slabbed_multiplication.hpp"

#include "collectives/communicator/collective_try.hpp"
#include "mm/decompositions/required_layouts.hpp"
#include "mm/matrix/element_types.hpp"

#include <complex>

namespace cuboid::detail {

template <MatrixElement T>
SlabbedMultiplication<T>::SlabbedMultiplication(const Communicator& communicator,
                                                const LayeredGrid& grid,
                                                const ProductLayouts& product)
    : MultiplicationDriver<T>(communicator, grid.size(), product, OwnOperands::as_given) {
  const auto ranks = layer_ranks(communicator, grid);
  collective_try(communicator, [&] {
    this->own().make(communicator, wanted_in_layers(product.size(), grid, LayerAlgorithm::slabs));
  });
  // All ranks of a layer fail, or none. The other layers learn of the failure here.
  collective_try(communicator, [&] {
    if (ranks) layer_.emplace(*ranks, grid, product.size());
  });
}

template <MatrixElement T>
void SlabbedMultiplication<T>::multiply(const DriverInput<T>& input, const LocalGemm& gemm,
                                        PhaseSeconds& seconds) {
  if (!layer_) return;
  layer_->run(input.alpha, flat_left_operand(input.op_a, input.A),
              flat_right_operand(input.op_b, input.B), input.beta, input.C.local(), gemm, seconds);
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(SlabbedMultiplication);

}  // namespace cuboid::detail
