#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "mm/drivers/layered/slabbed_layer.hpp"
#include "mm/drivers/multiplication_driver.hpp"

#include <optional>

namespace cuboid::detail {

/// C ← α·op(A)·op(B) + β·C on a P×Q×c grid by 2.5D (TwoAndAHalfDMultiplication) in slabs: each part
/// of C that is complete is summed over the layers while the operands of the next part travel (see
/// SlabbedLayer). Ready to run many times.
template <MatrixElement T>
class SlabbedMultiplication : public MultiplicationDriver<T> {
 public:
  /// Collective over `communicator`, that of the matrices, including ranks outside the grid. Throws
  /// Error(invalid_argument) if the grid has more ranks than there are, Error(out_of_memory) on
  /// every rank if a rank lacks memory.
  SlabbedMultiplication(const Communicator& communicator, const LayeredGrid& grid,
                        const ProductLayouts& product);

 private:
  void multiply(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds) override;

  std::optional<SlabbedLayer<T>> layer_;  // none outside the grid
};

}  // namespace cuboid::detail
