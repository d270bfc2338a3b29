#pragma once

#include <cuboid/export.hpp>
#include <cuboid/grid_shape.hpp>

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// The operation op(A) applied to an operand: A, Aᵀ, or Aᴴ (equal to Aᵀ for real types).
enum class Op { none, transpose, conjugate_transpose };

/// "none", "transpose", "conjugate transpose".
CUBOID_API std::string_view to_string(Op op);

/// The dimensions of C = A·B that an index can refer to: the rows of C, the columns of C, and the
/// inner dimension, over which the product sums. Used as tags only.
struct CUBOID_API Row;
struct CUBOID_API Column;
struct CUBOID_API Inner;

namespace detail {
struct CUBOID_API GlobalScope;
struct CUBOID_API LocalScope;
}  // namespace detail

/// An index typed by its dimension and scope: a row is not a column, and an index into the whole
/// matrix (Global) is not an index into one rank's part of it (Local). Mixing them does not
/// compile. Differences are plain std::int64_t.
template <class Scope, class Dimension>
struct CUBOID_API Index {
  std::int64_t value = 0;

  constexpr Index() = default;
  constexpr explicit Index(std::int64_t index) : value(index) {}

  constexpr auto operator<=>(const Index&) const = default;

  constexpr Index& operator+=(std::int64_t steps) {
    value += steps;
    return *this;
  }
  constexpr Index& operator++() { return *this += 1; }
  constexpr friend Index operator+(Index index, std::int64_t steps) { return index += steps; }
  constexpr friend Index operator-(Index index, std::int64_t steps) { return index += -steps; }
  constexpr friend std::int64_t operator-(Index last, Index first) {
    return last.value - first.value;
  }

  /// The same number along another dimension: a row of A is a column of Aᵀ.
  template <class Other>
  constexpr Index<Scope, Other> as() const {
    return Index<Scope, Other>(value);
  }
};

/// An index into the whole matrix.
template <class Dimension>
using Global = Index<detail::GlobalScope, Dimension>;

/// An index into the part of a matrix that one rank holds.
template <class Dimension>
using Local = Index<detail::LocalScope, Dimension>;

/// The indices begin <= i < end.
template <class IndexType>
struct Range {
  IndexType begin;
  IndexType end;

  constexpr std::int64_t extent() const { return end - begin; }
  constexpr bool empty() const { return end <= begin; }
  constexpr bool operator==(const Range&) const = default;

  /// The same range of numbers along another dimension.
  template <class Other>
  constexpr auto as() const {
    return Range<decltype(begin.template as<Other>())>{begin.template as<Other>(),
                                                       end.template as<Other>()};
  }
};

template <class Dimension>
using GlobalRange = Range<Global<Dimension>>;

template <class Dimension>
using LocalRange = Range<Local<Dimension>>;

/// The distribution of one dimension of a matrix over a line of processes. The dimension is cut
/// into blocks of `block` indices (the last may be shorter); block b belongs to process (source +
/// b) mod processes. With one block per process it is the block distribution, with blocks of 1 the
/// cyclic distribution. even() gives each process equally many blocks whose lengths differ by at
/// most one. A slice() of either distribution begins within a block, so its first block may be
/// shorter. Each process stores its blocks one after the other. A pure value.
template <class Dimension>
class CUBOID_API BlockCyclic {
 public:
  /// A distribution of no index, on one process.
  BlockCyclic() = default;
  /// @param extent     number of indices, >= 0.
  /// @param block      number of indices per block, >= 1.
  /// @param processes  number of processes, >= 1.
  /// @param source     the process that owns the first block.
  /// Throws Error(invalid_argument) naming what is out of range.
  BlockCyclic(std::int64_t extent, std::int64_t block, int processes, int source = 0);

  /// The block distribution: blocks of ceil(extent / processes).
  static BlockCyclic blocks(std::int64_t extent, int processes);

  /// The even distribution. The dimension is cut into `parts`, each part into `cycles`, each cycle
  /// into `pieces`, at each level of lengths that differ by at most one. Process part · pieces +
  /// piece owns piece number `piece` of every cycle of its part. The local extents of two processes
  /// differ by at most `cycles`. Throws Error(invalid_argument) as above.
  static BlockCyclic even(std::int64_t extent, int parts, int pieces = 1, int cycles = 1);

  /// The distribution of the indices of `range`, counted from the first of them. Every index stays
  /// on its process, in the same order. Throws Error(invalid_argument) for a range outside.
  BlockCyclic slice(GlobalRange<Dimension> range) const;

  std::int64_t extent() const { return extent_; }
  /// The number of indices per block; in an even distribution that of the longest block.
  std::int64_t block() const { return block_; }
  bool is_even() const { return parts_ > 0; }
  /// Number of blocks per process in an even distribution; otherwise 1.
  int cycles() const { return cycles_; }
  int processes() const { return processes_; }
  /// The process of the first block.
  int source() const { return source_; }
  /// The number of indices that a slice lacks of its first block. For a slice of an even
  /// distribution: the number of indices in front of the slice in the distribution that it was cut
  /// from.
  std::int64_t offset() const { return offset_; }
  /// The range of all indices.
  GlobalRange<Dimension> all() const { return {Global<Dimension>(0), Global<Dimension>(extent_)}; }

  /// The process that holds `index`, 0 to extent() - 1. owner() and the functions below do not
  /// check their arguments.
  int owner(Global<Dimension> index) const {
    if (is_even()) return even_place(index).process;
    return static_cast<int>(((index.value + offset_) / block_ + source_) % processes_);
  }
  /// The local index of `index` on its owner.
  Local<Dimension> local(Global<Dimension> index) const {
    if (is_even()) return first_local(even_place(index).process, index);
    const std::int64_t whole = index.value + offset_;
    const Local<Dimension> local(whole / cycle_length() * block_ + whole % block_);
    return offset_ == 0 ? local : local - missing(owner(index));
  }
  /// The global index of local `index` on `process`.
  Global<Dimension> global(int process, Local<Dimension> index) const {
    if (is_even()) return even_global(process, index);
    const std::int64_t whole = index.value + missing(process);
    return Global<Dimension>(whole / block_ * cycle_length() + blocks_before(process) * block_ +
                             whole % block_ - offset_);
  }

  /// The number of indices that `process` holds (ScaLAPACK's numroc).
  std::int64_t local_extent(int process) const {
    return first_local(process, Global<Dimension>(extent_)).value;
  }
  /// The local index on `process` of the first index that it holds at or after `index`. That is the
  /// number of indices before `index` that the process holds.
  Local<Dimension> first_local(int process, Global<Dimension> index) const;
  /// The local range on `process` of a global range.
  LocalRange<Dimension> local_range(int process, GlobalRange<Dimension> range) const {
    return {first_local(process, range.begin), first_local(process, range.end)};
  }

  /// The end of the longest run of consecutive indices from `index` on that one process holds.
  Global<Dimension> run_end(Global<Dimension> index) const;

  /// The same distribution of the same number of indices along another dimension.
  template <class Other>
  BlockCyclic<Other> as() const {
    BlockCyclic<Other> same;
    same.extent_ = extent_;
    same.block_ = block_;
    same.processes_ = processes_;
    same.source_ = source_;
    same.offset_ = offset_;
    same.whole_ = whole_;
    same.parts_ = parts_;
    same.cycles_ = cycles_;
    return same;
  }

  /// True if every index has the same owner in both distributions. E.g. the block size is
  /// irrelevant on one process.
  bool operator==(const BlockCyclic& other) const;

 private:
  template <class Other>
  friend class BlockCyclic;

  /// Number of indices before the first process gets its next block.
  std::int64_t cycle_length() const { return block_ * processes_; }
  /// Number of processes that get a block before `process`.
  int blocks_before(int process) const { return (process - source_ + processes_) % processes_; }

  /// The number of indices that `process` holds in front of a slice's first index, in the same
  /// block.
  std::int64_t missing(int process) const { return process == source_ ? offset_ : 0; }

  /// A process's block in one cycle of an even distribution, counted in the whole distribution that
  /// a slice belongs to.
  struct EvenPlace {
    int process = 0;
    int cycle = 0;
  };
  /// The number of indices before `end` that a process holds, both counted in the whole
  /// distribution.
  std::int64_t even_held(int process, Global<Dimension> end) const;
  GlobalRange<Dimension> even_block(const EvenPlace& place) const;
  EvenPlace even_place(Global<Dimension> index) const;
  Global<Dimension> even_global(int process, Local<Dimension> index) const;

  std::int64_t extent_ = 0;
  std::int64_t block_ = 1;
  int processes_ = 1;
  int source_ = 0;
  std::int64_t offset_ = 0;  // shorter than a block, unless even
  std::int64_t whole_ = 0;   // the extent of the even distribution that this is a slice of
  int parts_ = 0;            // the parts of an even distribution, else 0
  int cycles_ = 1;           // the cycles of an even distribution
};

extern template class BlockCyclic<Row>;
extern template class BlockCyclic<Column>;
extern template class BlockCyclic<Inner>;

/// A block of a matrix: its rows × its columns.
struct BlockRange {
  GlobalRange<Row> rows;
  GlobalRange<Column> columns;
};

/// The distribution of an m×n matrix over a process grid: its rows are distributed over the grid's
/// rows, its columns over the grid's columns. Each rank stores its elements as one column-major
/// local matrix. A pure value with the content of a ScaLAPACK array descriptor (M, N, MB, NB, RSRC,
/// CSRC).
class CUBOID_API Layout {
 public:
  /// An empty matrix on one rank.
  Layout() = default;
  /// Throws Error(invalid_argument) if the distributions do not match the grid's rows and columns.
  Layout(const BlockCyclic<Row>& rows, const BlockCyclic<Column>& columns, const GridShape& grid);

  /// The layout with one block per rank, of ceil(m / P) × ceil(n / Q). block(), block_cyclic() and
  /// single() throw Error(invalid_argument) for a negative size; block_cyclic() also for a block <
  /// 1 or a source that is not on the grid.
  static Layout block(std::int64_t m, std::int64_t n, const GridShape& grid);
  /// The layout in blocks of row_block × column_block, distributed cyclically. The rank at `source`
  /// has the first block.
  static Layout block_cyclic(std::int64_t m, std::int64_t n, std::int64_t row_block,
                             std::int64_t column_block, const GridShape& grid,
                             GridPosition source = {});
  /// The layout with the whole matrix on rank 0.
  static Layout single(std::int64_t m, std::int64_t n);

  const BlockCyclic<Row>& rows() const { return rows_; }
  const BlockCyclic<Column>& columns() const { return columns_; }
  const GridShape& grid() const { return grid_; }
  /// Rows of the whole matrix.
  std::int64_t m() const { return rows_.extent(); }
  /// Columns of the whole matrix.
  std::int64_t n() const { return columns_.extent(); }

  /// The rank that owns element (i, j).
  int owner(Global<Row> i, Global<Column> j) const {
    return grid_.rank({rows_.owner(i), columns_.owner(j)});
  }
  /// The number of rows and of columns that `rank` stores; 0 for a rank outside the grid.
  std::int64_t local_rows(int rank) const;
  std::int64_t local_columns(int rank) const;

  /// The layout of a block of the matrix, in which every rank owns the same elements. Throws
  /// Error(invalid_argument) for a block outside the matrix.
  Layout slice(const BlockRange& block) const;
  /// The same layout with rank ranks[r] in place of rank r, e.g. for a communicator of more ranks.
  /// Throws Error(invalid_argument) if `ranks` has no number for a rank of the grid, or the same
  /// number for two.
  Layout on_ranks(std::span<const int> ranks) const;

  /// The layout of the transposed matrix in which every rank owns the same elements.
  Layout transposed() const;

  /// True if every element has the same owner and the same local position.
  bool operator==(const Layout& other) const = default;

 private:
  BlockCyclic<Row> rows_;
  BlockCyclic<Column> columns_;
  GridShape grid_;
};

/// The layout as text: "1000x800 in blocks of 64x64 on a 2x3 grid", followed by ", first on (1,0)"
/// if the first block is not on (0,0), and by ", from (3,0) on" if that block lacks its first rows
/// or columns.
CUBOID_API std::string to_string(const Layout& layout);

/// The extents of C = op(A)·op(B): op(A) is m×k, op(B) k×n, C m×n.
struct ProductSize {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool operator==(const ProductSize&) const = default;
};

/// The layouts of A, B and C in C = op(A)·op(B), and the operations.
struct ProductLayouts {
  Layout A;
  Op op_a = Op::none;
  Layout B;
  Op op_b = Op::none;
  Layout C;

  /// The extents of the product; k is taken from A. The layouts are not checked against each other.
  ProductSize size() const { return {C.m(), C.n(), op_a == Op::none ? A.n() : A.m()}; }

  bool operator==(const ProductLayouts&) const = default;
};

/// The layout of op(X) in which every rank owns the same elements as in the layout `stored` of X.
inline Layout applied(Op op, const Layout& stored) {
  return op == Op::none ? stored : stored.transposed();
}

}  // namespace cuboid
