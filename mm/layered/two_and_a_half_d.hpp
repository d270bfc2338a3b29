#pragma once

#include <cuboid/collective_plan.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/product_layouts.hpp>

#include "collectives/communicator/idle_ranks.hpp"
#include "mm/decompositions/layered_grid.hpp"
#include "mm/layered/slabbed_layer.hpp"
#include "mm/multiplication/multiplication.hpp"
#include "mm/multiplication/redistributed_operands.hpp"
#include "mm/summa/summa.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Options of a 2.5D multiplication.
struct LayerOptions {
  LayerAlgorithm inside = LayerAlgorithm::summa;
  std::int64_t panel_width = default_panel_width;  ///< of SUMMA
  PanelOrder order = PanelOrder::in_turn;          ///< of SUMMA
};

/// C ← α·op(A)·op(B) + β·C by the 2.5D algorithm (Solomonik et al. 2011, §3.1, algorithm 1) on a
/// P×Q×c grid, ready to run many times. The inner dimension is cut into c slices. Each layer
/// multiplies its slice of op(A) and op(B) on its P×Q ranks. Then the ranks of equal position in
/// all layers sum their parts of C by a line reduction. With c = 1 this is the algorithm inside the
/// layers, with P = Q = c the 3D algorithm.
///
/// In Solomonik et al. 2011 both matrices are on layer 0 and are multicast to every layer, of which
/// layer l uses slice l only. Here a layer gets only its slice: if op(A), op(B) and C have the
/// layouts of wanted_in_layers(), nothing else moves and there is one copy of A and B; other
/// matrices are redistributed. A rank receives the words of Kwasniewski et al. 2019, table 3, less
/// what it owns: mk/(Pc)·(1 - 1/Q) + nk/(Qc)·(1 - 1/P) + mn/(PQ)·(1 - 1/c). The additional memory
/// of 2.5D is each layer's own C, and with slabs the layer's operands.
template <MatrixElement T>
class TwoAndAHalfDMultiplication : public Multiplication<T> {
 public:
  /// Collective over `communicator`, that of the matrices, including ranks outside the grid. Throws
  /// Error(invalid_argument) if the grid has more ranks than there are, Error(out_of_memory) on
  /// every rank if a rank lacks memory.
  TwoAndAHalfDMultiplication(const Communicator& communicator, const LayeredGrid& grid,
                             const ProductLayouts& product, const LayerOptions& options = {});

  PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                   const LocalGemm& gemm) override;

 private:
  /// The state of a rank on the grid.
  struct Place {
    Communicator layer;                                 ///< the ranks of this layer, row by row
    Communicator line;                                  ///< the ranks of equal place, by layer
    std::optional<Matrix<T>> partial;                   ///< this layer's C, where there are several
    AlignedArray<T> sum;                                ///< this rank's piece of all layers' C
    std::optional<CollectivePlan> summation;            ///< of `partial` into `sum`
    ProductLayouts slice;                               ///< as it lies on the layer, not in slabs
    std::unique_ptr<Multiplication<T>> multiplication;  ///< unless in slabs
    std::unique_ptr<SlabbedLayer<T>> slabs;
  };

  PhaseSeconds multiply_on_grid(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta,
                                Matrix<T>& C, const LocalGemm& gemm);
  void add_sums(T beta, LocalView<T> C);

  IdleRanks idle_ranks_;  // ranks outside the grid
  ProductLayouts product_;
  RedistributedOperands<T> own_;
  std::optional<Place> place_;  // none outside the grid
};

}  // namespace cuboid::detail
