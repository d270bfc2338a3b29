#pragma once

#include "bindings/mpi/types.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// The blocks of a program's buffer as bytes: one block per rank, or a single block. They lie in
/// place if elements of the datatype are contiguous, otherwise in a packed copy.
class ByteBlocks {
 public:
  /// Blocks that outlive the call in which they are made keep their datatype alive.
  enum class Life { call, request };

  static ByteBlocks one(void* base, int count, MPI_Datatype type, Life life);
  /// `ranks` adjacent blocks of `count` elements.
  static ByteBlocks equal(void* base, int count, int ranks, MPI_Datatype type, Life life);
  /// @param displacements  in elements, of any sign; if empty, blocks are adjacent
  static ByteBlocks of(void* base, std::span<const int> counts, std::span<const int> displacements,
                       MPI_Datatype type, Life life);

  std::byte* data() const { return data_; }
  /// The bytes from data() to the end of the last block.
  std::size_t bytes() const { return bytes_; }
  std::span<const std::size_t> counts() const { return counts_; }                ///< in bytes
  std::span<const std::size_t> displacements() const { return displacements_; }  ///< in bytes
  std::byte* block(int number) const { return data_ + displacements_[index(number)]; }
  std::size_t block_bytes(int number) const { return counts_[index(number)]; }

  /// Copies a block, or all blocks, from the program's memory.
  void load(int number);
  void load_all();
  /// Copies a block, or all blocks, to the program's memory.
  void store(int number);
  void store_all();

 private:
  ByteBlocks(std::byte* base, MPI_Datatype type, Life life);
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  void lay_out_in_place();
  void lay_out_packed();

  std::byte* base_ = nullptr;
  TypeLayout layout_;
  KeptType type_;
  std::vector<int> elements_;
  std::vector<MPI_Aint> places_;  // in elements
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> displacements_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> packed_;
};

}  // namespace cuboid::detail::drop_in
