#pragma once

#include <cuboid/mm/index.hpp>

#include <cstdint>
#include <vector>

namespace cuboid {

/// How one dimension of a matrix is dealt out to a line of processes: cut into blocks of `block`
/// indices (the last may be shorter), block b goes to process (source + b) mod processes. One block
/// per process is the block distribution, blocks of 1 the cyclic one; even() deals out as many
/// blocks to each, whose lengths differ by at most one. Each process stores its blocks one behind
/// the other. A pure value.
template <class Dimension>
class BlockCyclic {
 public:
  /// Nothing, on one process.
  BlockCyclic() = default;
  /// @param extent     indices in all, >= 0.
  /// @param block      indices per block, >= 1.
  /// @param processes  >= 1.
  /// @param source     the process that holds the first block.
  /// Throws Error(invalid_argument) naming what is out of range.
  BlockCyclic(std::int64_t extent, std::int64_t block, int processes, int source = 0);

  /// The block distribution: blocks of ceil(extent / processes).
  static BlockCyclic blocks(std::int64_t extent, int processes);

  /// Cut as evenly as can be: first into `parts`, then each part into `turns`, then each of these
  /// into `pieces`, so that process part · pieces + piece has piece number `piece` of every turn of
  /// its part: one block, or one for each turn. What processes hold differs by as many indices as
  /// there are turns at most. Throws Error(invalid_argument) as above.
  static BlockCyclic even(std::int64_t extent, int parts, int pieces = 1, int turns = 1);

  std::int64_t extent() const { return extent_; }
  /// Indices per block; of an even distribution those of the longest.
  std::int64_t block() const { return block_; }
  bool is_even() const { return parts_ > 0; }
  /// Blocks of each process in an even distribution; else 1.
  int turns() const { return turns_; }
  int processes() const { return processes_; }
  int source() const { return source_; }
  GlobalRange<Dimension> all() const { return {Global<Dimension>(0), Global<Dimension>(extent_)}; }

  /// The process that holds `index`.
  int owner(Global<Dimension> index) const {
    if (is_even()) return even_place(index).process;
    return static_cast<int>((index.value / block_ + source_) % processes_);
  }
  /// Where the owner of `index` keeps it.
  Local<Dimension> local(Global<Dimension> index) const {
    if (is_even()) return first_local(even_place(index).process, index);
    return Local<Dimension>(index.value / cycle() * block_ + index.value % block_);
  }
  /// The index that `process` keeps at `index`.
  Global<Dimension> global(int process, Local<Dimension> index) const {
    if (is_even()) return even_global(process, index);
    return Global<Dimension>(index.value / block_ * cycle() + turn(process) * block_ +
                             index.value % block_);
  }

  /// How many indices `process` holds (numroc of ScaLAPACK).
  std::int64_t local_extent(int process) const {
    return first_local(process, Global<Dimension>(extent_)).value;
  }
  /// Where `process` keeps the first index it holds at or after `index`: how many it holds before.
  Local<Dimension> first_local(int process, Global<Dimension> index) const;
  /// What `process` holds of a range.
  LocalRange<Dimension> local_range(int process, GlobalRange<Dimension> range) const {
    return {first_local(process, range.begin), first_local(process, range.end)};
  }

  /// The end of the run of indices from `index` on that one process holds one behind the other.
  Global<Dimension> run_end(Global<Dimension> index) const;

  /// The same distribution of the same number of indices along another dimension.
  template <class Other>
  BlockCyclic<Other> as() const {
    return is_even() ? BlockCyclic<Other>::even(extent_, parts_, processes_ / parts_, turns_)
                     : BlockCyclic<Other>(extent_, block_, processes_, source_);
  }

  /// Whether every index has the same owner in both, however they are written (on one process the
  /// block size means nothing).
  bool operator==(const BlockCyclic& other) const;

 private:
  /// Indices dealt out before the first process gets its next block.
  std::int64_t cycle() const { return block_ * processes_; }
  /// How many processes get a block before `process` does.
  int turn(int process) const { return (process - source_ + processes_) % processes_; }

  /// A process's block of an even distribution.
  struct EvenPlace {
    int process = 0;
    int turn = 0;
  };
  GlobalRange<Dimension> even_block(const EvenPlace& place) const;
  EvenPlace even_place(Global<Dimension> index) const;
  Global<Dimension> even_global(int process, Local<Dimension> index) const;

  std::int64_t extent_ = 0;
  std::int64_t block_ = 1;
  int processes_ = 1;
  int source_ = 0;
  int parts_ = 0;  // of an even distribution, else 0
  int turns_ = 1;  // of an even one
};

extern template class BlockCyclic<Row>;
extern template class BlockCyclic<Column>;
extern template class BlockCyclic<Inner>;

}  // namespace cuboid
