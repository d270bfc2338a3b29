#pragma once

#include <cuboid/element.hpp>
#include <cuboid/export.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace cuboid {

/// The distribution of an m×n matrix that is cut at arbitrary rows and columns. Each block is
/// stored by one rank or by several ranks. Each rank stores each of its blocks as a separate
/// column-major matrix. A pure value; it lists all blocks.
class CUBOID_API IrregularLayout {
 public:
  /// The place of a block: its row and column in the grid of blocks.
  struct Place {
    int row = 0;
    int column = 0;
    bool operator==(const Place&) const = default;
  };

  /// @param row_cuts     the first row of each row of blocks, and m at the end: 0 = r₀ <= r₁ <= …
  ///                     <= m.
  /// @param column_cuts  the same for columns.
  /// @param owner        returns the rank that owns the block at a place; called once for each
  ///                     block.
  /// Throws Error(invalid_argument) for cuts out of order or a negative rank.
  IrregularLayout(std::vector<std::int64_t> row_cuts, std::vector<std::int64_t> column_cuts,
                  const std::function<int(Place)>& owner);
  /// The same for blocks that several ranks may store.
  /// @param owners  returns the ranks that store the block at a place: at least one, all different.
  /// Throws as above, and if `owners` returns no rank or a rank twice.
  IrregularLayout(std::vector<std::int64_t> row_cuts, std::vector<std::int64_t> column_cuts,
                  const std::function<std::vector<int>(Place)>& owners);
  /// The whole matrix on each of some ranks, all different. Throws Error(invalid_argument) for a
  /// negative size, no rank, or a rank that is negative or listed twice.
  static IrregularLayout replicated(std::int64_t m, std::int64_t n, std::span<const int> ranks);

  std::int64_t m() const { return row_cuts_.back(); }
  std::int64_t n() const { return column_cuts_.back(); }
  /// The first index of each block, and the extent at the end. The views returned by row_cuts(),
  /// column_cuts() and owners() are valid as long as the layout.
  std::span<const std::int64_t> row_cuts() const { return row_cuts_; }
  std::span<const std::int64_t> column_cuts() const { return column_cuts_; }
  int row_blocks() const { return static_cast<int>(row_cuts_.size()) - 1; }
  int column_blocks() const { return static_cast<int>(column_cuts_.size()) - 1; }
  /// The rows and columns of a block. The place must be one of the layout's places, which is not
  /// checked.
  BlockRange block(Place place) const;
  /// The ranks that store a block.
  std::span<const int> owners(Place place) const;
  /// The blocks that a rank stores, row by row.
  std::vector<Place> blocks_of(int rank) const;
  /// The highest rank that stores a block; -1 if there are no blocks.
  int last_rank() const { return last_rank_; }

  bool operator==(const IrregularLayout&) const = default;

 private:
  IrregularLayout(std::vector<std::int64_t> row_cuts, std::vector<std::int64_t> column_cuts);
  void add_owners(Place place, std::span<const int> owners);
  template <class Visit>
  void for_each_place(const Visit& visit) const;

  std::vector<std::int64_t> row_cuts_;
  std::vector<std::int64_t> column_cuts_;
  std::vector<int> owners_;               // the owners of all blocks, row by row
  std::vector<std::size_t> first_owner_;  // by block: index in owners_; then the number of all
  int last_rank_ = -1;
};

/// A matrix in an irregular layout: this rank's blocks, in the order of
/// IrregularLayout::blocks_of(). Move-only.
template <MatrixElement T>
class CUBOID_API IrregularMatrix {
 public:
  /// Allocates this rank's blocks. Their elements are uninitialised, and the leading dimension of
  /// each is its number of rows. Not collective, but every rank must make the same matrix. Throws
  /// Error(invalid_argument) if the layout has a rank that the communicator lacks,
  /// Error(out_of_memory).
  IrregularMatrix(const Communicator& communicator, IrregularLayout layout);
  /// A matrix whose blocks are the caller's memory, which must outlive it. Not collective.
  /// @param blocks  this rank's blocks, in the order of IrregularLayout::blocks_of().
  /// Throws Error(invalid_argument) if the layout has a rank that the communicator lacks, or if the
  /// number of blocks or the shape of a block differs from the layout's.
  static IrregularMatrix wrap(const Communicator& communicator, IrregularLayout layout,
                              std::vector<LocalView<T>> blocks);

  const Communicator& communicator() const { return communicator_; }
  const IrregularLayout& layout() const { return layout_; }
  /// The places of this rank's blocks, and the blocks in the same order.
  std::span<const IrregularLayout::Place> places() const { return places_; }
  std::span<const LocalView<T>> blocks() const { return blocks_; }

 private:
  IrregularMatrix(const Communicator& communicator, IrregularLayout layout,
                  std::vector<LocalView<T>> blocks);

  Communicator communicator_;
  IrregularLayout layout_;
  std::vector<IrregularLayout::Place> places_;
  std::vector<LocalView<T>> blocks_;
  std::unique_ptr<T, FreeAligned> memory_;  // empty if the caller's memory is used
};

extern template class IrregularMatrix<float>;
extern template class IrregularMatrix<double>;
extern template class IrregularMatrix<std::complex<float>>;
extern template class IrregularMatrix<std::complex<double>>;

}  // namespace cuboid
