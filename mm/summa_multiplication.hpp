#pragma once

#include <cuboid/mm/multiplication.hpp>
#include <cuboid/mm/process_grid.hpp>
#include <cuboid/mm/stored_product.hpp>
#include <cuboid/mm/summa.hpp>

#include <cstdint>
#include <optional>

namespace cuboid {

/// SUMMA on a process grid, ready to run many times. A C that is not on the grid is multiplied in
/// blocks on it and brought back.
template <MatrixElement T>
class SummaMultiplication : public Multiplication<T> {
 public:
  /// Collective. Throws Error(invalid_argument) where the grid needs more ranks than there are,
  /// Error(out_of_memory) on every rank when one has no room.
  SummaMultiplication(const Communicator& communicator, const GridShape& grid,
                      const StoredProduct& product, std::int64_t panel_width = default_panel_width);

  PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                   const LocalGemm& gemm) override;

 private:
  ProcessGrid grid_;
  StoredProduct product_;
  std::int64_t panel_width_;
  std::optional<Matrix<T>> on_grid_;  // C, where it lies otherwise
};

}  // namespace cuboid
