#pragma once

#include <cuboid/layout.hpp>

#include "mm/decompositions/srumma_tasks.hpp"
#include "mm/drivers/multiplication_driver.hpp"
#include "mm/drivers/srumma/shared_operand.hpp"
#include "mm/matrix/process_grid.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// The way in which blocks are fetched.
enum class Gets {
  ahead,  ///< while other blocks are multiplied, in the order of order_srumma_tasks()
  /// While other blocks are multiplied; blocks in flight are multiplied as they arrive.
  by_arrival,
  blocking,  ///< each block is waited for before anything else
};

/// C ← α·op(A)·op(B) + β·C by SRUMMA (Krishnan and Nieplocha 2004), ready to run many times. The
/// owner of a block of C computes it: it reads the blocks of op(A) from the ranks of its process
/// row and those of op(B) from the ranks of its process column, one-sided. Blocks on the same node
/// are multiplied first, in place, while blocks of other nodes arrive, from several owners at once.
///
/// If all ranks of a process row or column are on one node and A or B is in shared memory
/// (Matrix::shared), nothing is copied. Otherwise each run copies a rank's own part once into
/// memory that the others can read; the first run allocates it. C must be on the grid, op(A)
/// distributed with C's rows in long blocks of the inner dimension, op(B) with C's columns; other
/// matrices are redistributed.
template <MatrixElement T>
class SrummaMultiplication : public MultiplicationDriver<T> {
 public:
  /// Collective over `communicator`, that of the matrices, including ranks outside the grid. Throws
  /// Error(invalid_argument) if the grid needs more ranks than there are, Error(out_of_memory);
  /// run() may throw the latter, too, if it is given matrices of another kind than before.
  SrummaMultiplication(const Communicator& communicator, const GridShape& grid,
                       const ProductLayouts& product, SharedBlocks shared = SharedBlocks::in_place,
                       Gets gets = Gets::ahead);

  /// The bytes of A and B that this rank has copied in all runs so that other ranks can read them.
  std::uint64_t bytes_copied() const {
    return a_ ? a_->bytes_copied() + b_->bytes_copied() : std::uint64_t{0};
  }

 private:
  /// @param a, b  the layouts of op(A), and of op(B) transposed.
  void share_operands(const Layout& a, const Layout& b, const ProductLayouts& product,
                      SharedBlocks shared);
  /// True for operands that the ranks of a node can read.
  struct Readable {
    bool a = false;
    bool b = false;
    bool operator==(const Readable&) const = default;
  };
  void get_ready(const Matrix<T>& A, const Matrix<T>& B) override;
  void multiply(const DriverInput<T>& input, const LocalGemm& gemm, PhaseSeconds& seconds) override;
  /// Begins to fetch the blocks of the next task that needs messages, if there is one left.
  void fetch_next();
  /// Waits for the blocks of a task in flight and returns the task. It is the task that began first
  /// or, with Gets::by_arrival, the first task whose blocks have arrived, if there is one.
  std::size_t take_fetched();

  ProcessGrid grid_;
  Gets gets_;
  std::vector<SrummaTask> tasks_;
  std::size_t at_once_ = 0;  // tasks whose blocks are fetched or multiplied
  std::optional<Readable> prepared_;
  std::vector<std::size_t> order_;
  std::size_t first_fetched_ = 0;          // index in order_ from which on all tasks are fetched
  std::size_t next_fetched_ = 0;           // index in order_ of the next task to fetch in this run
  std::vector<std::size_t> in_flight_;     // tasks, in the order of their gets
  std::optional<SharedOperand<T>> a_, b_;  // none outside the grid
};

}  // namespace cuboid::detail
