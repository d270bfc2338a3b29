#pragma once

#include "bindings/mpi_choice/called.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Recognises calls that are handed on because they are short, in a few instructions and without
/// calling a function: an MPI_Bcast of 8 B may return after 100 ns. It knows the sizes of the
/// predefined types that programs use most, which never change. Empty at first, so that no call has
/// to ask whether it exists.
class ShortCalls {
 public:
  constexpr ShortCalls() = default;

  /// True if `count` elements are too few for a decision. False in doubt.
  bool contains(Called called, int count, MPI_Datatype type) const {
    return bytes_of_known(count, type) < of(least_, called);
  }
  /// The same for a call with so many elements per rank.
  bool contains_blocks(Called called, int count, MPI_Datatype type) const {
    return bytes_of_known(count, type) < of(least_of_block_, called);
  }
  /// The same for a gather or scatter. Only one of both lengths has a meaning, which depends on the
  /// rank; if both are short, the call is.
  bool contains_blocks(Called called, int count, MPI_Datatype type, int other_count,
                       MPI_Datatype other_type) const {
    return contains_blocks(called, count, type) && contains_blocks(called, other_count, other_type);
  }

  /// Fills the table, by the user's settings, if that has not been done yet.
  void learn();

 private:
  void fill();

  struct Entry {
    std::atomic<MPI_Datatype> type = {};
    std::atomic<std::int64_t> size = 0;
  };
  using Lengths = std::array<std::atomic<std::int64_t>, calls_in_all>;

  static constexpr std::size_t entries = 64;
  static std::size_t place_of(MPI_Datatype type) {
    return std::hash<MPI_Datatype>()(type) * 0x9E3779B97F4A7C15U >> 58;
  }
  static std::int64_t of(const Lengths& lengths, Called called) {
    return lengths[static_cast<std::size_t>(called)].load(std::memory_order_relaxed);
  }
  /// More than any call has if the type is not in the table.
  std::int64_t bytes_of_known(int count, MPI_Datatype type) const {
    const Entry& entry = entries_[place_of(type)];
    if (entry.type.load(std::memory_order_acquire) != type)
      return std::numeric_limits<std::int64_t>::max();
    return std::int64_t{count} * entry.size.load(std::memory_order_relaxed);
  }

  std::array<Entry, entries> entries_ = {};
  /// The fewest bytes that need a decision; 0: no call is short.
  Lengths least_ = {};
  Lengths least_of_block_ = {};
};

extern constinit ShortCalls short_calls;

}  // namespace cuboid::detail::drop_in
