#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "mm/decompositions/rotation.hpp"
#include "mm/drivers/layered/layer_copy.hpp"
#include "mm/drivers/multiplication_driver.hpp"
#include "mm/drivers/summa/summa.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Options of a 2.5D multiplication.
struct LayerOptions {
  LayerAlgorithm inside = LayerAlgorithm::summa;   ///< the algorithm within the layers
  std::int64_t panel_width = default_panel_width;  ///< panel width of SUMMA
  PanelOrder order = PanelOrder::in_turn;          ///< order of SUMMA's panels
  std::vector<RotationDigit> digits = {};  ///< SD-Cannon's, see FoldedGrid; empty: a plain grid
  bool replicated_operands = false;        ///< only with SUMMA inside
};

/// C ← α·op(A)·op(B) + β·C by the 2.5D algorithm (Solomonik et al. 2011, §3.1, algorithm 1) on a
/// P×Q×c grid, ready to run many times. The inner dimension is cut into c slices. Each layer
/// multiplies its slice of op(A) and op(B) on its P×Q ranks. Then the ranks of equal position in
/// all layers sum their parts of C by a line reduction. With c = 1 this is the algorithm inside the
/// layers, with P = Q = c the 3D algorithm.
///
/// In Solomonik et al. 2011 both matrices are on layer 0 and are multicast to every layer; layer l
/// uses only slice l, and C is summed on layer 0. Replicated operands do this; their layouts are
/// those of wanted_on_first_layer(). Without them a layer gets only its slice. If op(A), op(B) and
/// C have the layouts of wanted_in_layers(), nothing else moves and there is one copy of A and B;
/// other matrices are redistributed. A rank receives the words of Kwasniewski et al. 2019, table 3,
/// without what it owns: mk/(Pc)·(1 - 1/Q) + nk/(Qc)·(1 - 1/P) + mn/(PQ)·(1 - 1/c). The additional
/// memory of 2.5D is each layer's own C.
template <MatrixElement T>
class TwoAndAHalfDMultiplication : public MultiplicationDriver<T> {
 public:
  /// Makes the multiplication as make_in_layers() does, with SUMMA, Cannon or SD-Cannon inside.
  TwoAndAHalfDMultiplication(const Communicator& communicator, const LayeredGrid& grid,
                             const ProductLayouts& product, const LayerOptions& options);

 private:
  /// A layer's copies of replicated operands.
  struct LayerOperands {
    LayerCopy<T> A, B;
  };
  /// The state of a rank on the grid.
  struct LayerPosition {
    Communicator layer;
    std::optional<LayerOperands> copies;
    std::optional<Matrix<T>> partial;         ///< this layer's C, if there are several layers
    AlignedArray<T> sum;                      ///< this rank's piece of all layers' C
    std::optional<CollectivePlan> summation;  ///< sums `partial` into `sum`
    ProductLayouts slice;                     ///< layouts of the slice on the layer
    std::unique_ptr<Multiplication<T>> multiplication;  ///< multiplies the slice
  };

  void multiply(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds) override;
  void replicate_operands(const LayerRanks& ranks, const LayeredGrid& grid,
                          const ProductLayouts& product);
  void plan_summation(const LayerRanks& ranks, const LayeredGrid& grid, std::int64_t n);
  void plan_summation_on_first_layer(const LayerRanks& ranks);
  void add_sums(T beta, LocalView<T> C);

  std::optional<LayerPosition> place_;  // none outside the grid
};

/// 2.5D, or with slabs SlabbedMultiplication. Collective over `communicator`, that of the matrices,
/// including ranks outside the grid. Throws Error(invalid_argument) if the grid has more ranks than
/// there are, Error(out_of_memory) on every rank if a rank lacks memory.
template <MatrixElement T>
std::unique_ptr<Multiplication<T>> make_in_layers(const Communicator& communicator,
                                                  const LayeredGrid& grid,
                                                  const ProductLayouts& product,
                                                  const LayerOptions& options = {});

}  // namespace cuboid::detail
