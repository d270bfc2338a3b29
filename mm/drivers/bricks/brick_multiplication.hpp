#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>

#include "mm/decompositions/brick_grid.hpp"
#include "mm/drivers/bricks/brick_schedule.hpp"
#include "mm/drivers/bricks/face_exchange.hpp"
#include "mm/drivers/bricks/face_sum.hpp"
#include "mm/drivers/multiplication_driver.hpp"
#include "mm/local/gemm_in_strips.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// C ← α·op(A)·op(B) + β·C on a grid of bricks, ready to run many times. Every rank multiplies its
/// brick. The faces of A and B are assembled in rounds from the shares of the ranks that share
/// them: the next round travels while one round is multiplied (Kwasniewski et al. 2019, §7.3). Then
/// the layers' parts of C are summed, and each owner gets its share. If memory is short, this
/// happens for one tile of C after the other. Memory and collectives are made once (Kwasniewski et
/// al. 2019, §7.5).
///
/// Matrices with the layouts of the grid (BrickGrid::a_layout() …) are read and written in place;
/// parts that no other rank needs are not copied. Other matrices are redistributed.
template <MatrixElement T>
class BrickMultiplication : public MultiplicationDriver<T> {
 public:
  /// Collective over `communicator`, that of the matrices, including ranks outside the grid.
  /// Throws Error(invalid_argument) if the grid is not for the product's size or has more ranks
  /// than there are, or for fewer than one round or tile; Error(out_of_memory) on every rank if a
  /// rank lacks memory.
  BrickMultiplication(const Communicator& communicator, const BrickGrid& grid,
                      const BrickSteps& steps, const ProductLayouts& product,
                      Sidedness sides = Sidedness::two_sided);

 private:
  /// This rank's part of an operand: op(stored) is its part of A's or B's face.
  struct OperandPart {
    LocalView<const T> stored;
    Op op = Op::none;

    LocalView<const T> block(std::int64_t i, std::int64_t j, std::int64_t rows,
                             std::int64_t columns) const;
    Panel<T> panel(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) const;
    /// place = a part of op(stored), or its transpose.
    void fill(const BrickSchedule::OwnPart& part, bool turned, LocalView<T> panel,
              const PanelPlace& place) const;
  };

  /// What brings faces of A and B to this rank, and sums C.
  struct Exchanges {
    // Empty for an operand that no other rank shares.
    std::unique_ptr<FaceExchange<T>> a, b;
    std::optional<FaceSum<T>> c;
  };
  Exchanges gathers_and_sums(const PanelPlace& place) const;
  bool make_panels_at(const PanelPlace& place) override;
  void make_fetches();
  void fill_a(std::size_t step, const OperandPart& a);
  void fill_b(std::size_t step, const OperandPart& b);
  void open(const OperandPart& a, const OperandPart& b);
  void start_step(std::size_t step, const OperandPart& a, const OperandPart& b);
  void finish_step(std::size_t step, const OperandPart& a, const OperandPart& b);
  bool progress();
  SumOfPanels<T> sum_of_tile(T beta, LocalView<T> C, const LocalGemm& gemm) const;
  void multiply_step(std::size_t step, T alpha, T beta, LocalView<T> C, SumOfPanels<T>& sum);
  LocalView<T> target(std::size_t step, LocalView<T> C) const;
  void sum_tile(std::size_t step, T beta, LocalView<T> C);
  void multiply(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds) override;

  Communicator communicator_;
  BrickGrid grid_;
  Sidedness sides_;
  std::vector<Communicator> splits_;       // by split of the grid
  std::optional<BrickSchedule> schedule_;  // none outside the grid
  Op op_a_, op_b_;
  Exchanges exchanges_;

  /// A panel of the current step: some rows of A or columns of B, and some inner indices, counted
  /// from the step's first.
  struct Placed {
    BrickChunk outer;
    BrickChunk inner;
    Panel<T> panel;
  };
  static void place(const OperandPart& operand, const BrickSchedule::OwnPart& part, WorkAxis outer,
                    std::vector<Placed>& panels);
  std::vector<Placed> a_panels_, b_panels_;
};

}  // namespace cuboid::detail
