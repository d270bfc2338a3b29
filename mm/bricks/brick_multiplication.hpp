#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/multiply_options.hpp>
#include <cuboid/op.hpp>
#include <cuboid/product_layouts.hpp>

#include "collectives/communicator/idle_ranks.hpp"
#include "mm/bricks/face_exchange.hpp"
#include "mm/decompositions/brick_grid.hpp"
#include "mm/gemm/slabbed_gemm.hpp"
#include "mm/multiplication/multiplication.hpp"
#include "mm/multiplication/redistributed_operands.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// C ← α·op(A)·op(B) + β·C on a grid of bricks, ready to run many times. Every rank multiplies its
/// brick: A and B come together from the slices that the ranks of a fibre own, in rounds of which
/// the next travels while one is multiplied (000 §7.3); each layer's sums of C are then added up
/// and left with their owners. Memory and collectives are made once (000 §7.5).
///
/// A matrix that does not lie as the grid has it (BrickGrid::a_layout() …) is redistributed first,
/// C also back; one that does is read and written where it lies, and what no other rank needs is
/// not copied at all.
template <MatrixElement T>
class BrickMultiplication : public Multiplication<T> {
 public:
  /// Collective over `communicator`, that of the matrices; ranks outside the grid included.
  /// @param rounds  >= 1, in how many A and B arrive.
  /// Throws Error(invalid_argument) where the grid is not for the product's size or has more ranks
  /// than there are, or rounds < 1; Error(out_of_memory) on every rank when one has no room.
  BrickMultiplication(const Communicator& communicator, const BrickGrid& grid, int rounds,
                      const ProductLayouts& product, Sidedness sides = Sidedness::two_sided);

  /// From the second run on it allocates nothing, but for matrices that are redistributed.
  PhaseSeconds run(T alpha, const Matrix<T>& A, const Matrix<T>& B, T beta, Matrix<T>& C,
                   const LocalGemm& gemm) override;

 private:
  /// Inner indices of this rank's brick, from its first on, that arrive in a round from one slice.
  struct Chunk {
    std::int64_t begin = 0;
    std::int64_t extent = 0;
  };
  using Round = std::vector<Chunk>;  // by slice of A

  /// What this rank owns of an operand: op(stored) is its part of A's or B's face.
  struct Part {
    LocalView<const T> stored;
    Op op = Op::none;

    LocalView<const T> block(std::int64_t i, std::int64_t j, std::int64_t rows,
                             std::int64_t columns) const;
    Panel<T> panel(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) const;
  };

  void cut_rounds(int rounds);
  void make_gathers_and_sums();
  void make_fetches();
  std::vector<FaceRound> a_rounds() const;
  std::vector<FaceRound> b_rounds() const;
  bool b_comes_in_chunks() const;
  void fill_a(std::size_t round, const Part& a);
  void fill_b(std::size_t round, const Part& b);
  void open(const Part& a, const Part& b);
  void start_round(std::size_t round, const Part& a, const Part& b);
  void finish_round(std::size_t round, const Part& a, const Part& b);
  void multiply_round(T alpha, T beta, LocalView<T> C, const LocalGemm& gemm);
  void multiply_brick(T alpha, const Part& a, const Part& b, T beta, LocalView<T> C,
                      const LocalGemm& gemm, PhaseSeconds& seconds);

  Communicator communicator_;
  BrickGrid grid_;
  IdleRanks idle_ranks_;  // ranks outside the grid
  Sidedness sides_;
  std::vector<Communicator> splits_;  // by split of the grid
  std::optional<Brick> brick_;        // none outside the grid
  std::vector<Round> rounds_;
  RedistributedOperands<T> own_;
  std::unique_ptr<FaceExchange<T>> exchange_a_, exchange_b_;  // none of what lies here already
  std::optional<FaceSum<T>> sum_c_;

  /// A panel of the round that is multiplied: of A from its inner index `first` of the round on, of
  /// B from column `first` of the brick on.
  struct Placed {
    std::int64_t first = 0;
    std::int64_t extent = 0;
    Panel<T> panel;
  };
  std::vector<Placed> a_panels_, b_panels_;
};

}  // namespace cuboid::detail
