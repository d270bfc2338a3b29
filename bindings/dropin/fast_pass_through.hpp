#pragma once

#include "bindings/dropin/called.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Recognises calls that are handed on in any case, in a few instructions and without calling a
/// function: an MPI_Bcast of 8 B may return after 100 ns. These are calls that are too short for a
/// decision, and calls of a kind that the native MPI has won. The table knows the sizes of the
/// predefined types that programs use most, which never change, and the communicators that have
/// made such calls last. It is empty at first, so no call has to ask if it exists. A call that may
/// not be in the table counts as not in it.
class FastPassThrough {
 public:
  constexpr FastPassThrough() = default;

  /// True for a call of `count` elements that is handed on in any case.
  bool contains(Called called, int count, MPI_Datatype type, MPI_Comm communicator) const {
    const std::int64_t bytes = bytes_of_known(count, type);
    if (bytes < of(least_, called)) return true;
    const Settled& settled = settled_[place_of(communicator)];
    return settled.is_of(communicator) && settled.has(called, bytes);
  }
  /// The same for a call of `count` elements per rank.
  bool contains_blocks(Called called, int count, MPI_Datatype type, MPI_Comm communicator) const {
    const std::int64_t bytes = bytes_of_known(count, type);
    if (bytes < of(least_of_block_, called)) return true;
    const Settled& settled = settled_[place_of(communicator)];
    return settled.is_of(communicator) && bytes != unknown &&
           settled.has(called, bytes * settled.ranks.load(std::memory_order_relaxed));
  }
  /// The same for a gather or scatter. Only one of the two lengths has a meaning, which depends on
  /// the rank; so both must be short.
  bool contains_rooted(Called called, int count, MPI_Datatype type, int other_count,
                       MPI_Datatype other_type) const {
    const std::int64_t least = of(least_of_block_, called);
    return bytes_of_known(count, type) < least && bytes_of_known(other_count, other_type) < least;
  }

  /// Fills in types and limits from the user's settings, at the first call only.
  void learn();
  /// Notes that from now on calls of a kind on this communicator go to the native MPI: all calls
  /// whose number of bytes has `bytes_width` binary digits. Not for programs whose threads make
  /// calls at once.
  void note(MPI_Comm communicator, int ranks, Called called, int bytes_width);
  /// To be called when a communicator ends, before its handle can be used again.
  void forget(MPI_Comm communicator);

 private:
  template <class Value>
  using PerCall = std::array<std::atomic<Value>, calls_in_all>;

  struct Type {
    std::atomic<MPI_Datatype> type = {};
    std::atomic<std::int64_t> size = 0;
  };
  struct Settled {
    std::atomic<bool> used = false;
    std::atomic<MPI_Comm> communicator = {};
    std::atomic<std::int64_t> ranks = 0;
    PerCall<std::uint64_t> widths = {};  ///< a bit for each number of binary digits

    bool is_of(MPI_Comm other) const {
      return used.load(std::memory_order_acquire) &&
             communicator.load(std::memory_order_relaxed) == other;
    }
    bool has(Called called, std::int64_t bytes) const {
      const auto width = std::bit_width(static_cast<std::uint64_t>(bytes));
      return (of(widths, called) >> width & 1) != 0;
    }
  };

  static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
  static constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15U;  ///< spreads handles in hashes
  static constexpr std::size_t type_places = 256;
  static constexpr std::size_t communicator_places = 64;
  std::size_t place_of_type(MPI_Datatype type) const {
    return std::hash<MPI_Datatype>()(type) * factor_.load(std::memory_order_relaxed) >> 56;
  }
  static std::size_t place_of(MPI_Comm communicator) {
    return std::hash<MPI_Comm>()(communicator) * golden_ratio >> 58;
  }
  template <class Value>
  static Value of(const PerCall<Value>& values, Called called) {
    return values[static_cast<std::size_t>(called)].load(std::memory_order_relaxed);
  }
  std::int64_t bytes_of_known(int count, MPI_Datatype type) const {
    const Type& known = types_[place_of_type(type)];
    if (known.type.load(std::memory_order_acquire) != type) return unknown;
    return std::int64_t{count} * known.size.load(std::memory_order_relaxed);
  }
  void fill();

  std::atomic<std::uint64_t> factor_ = golden_ratio;
  std::array<Type, type_places> types_ = {};
  /// The fewest bytes that need a decision; 0: no call is short.
  PerCall<std::int64_t> least_ = {};
  PerCall<std::int64_t> least_of_block_ = {};
  std::array<Settled, communicator_places> settled_ = {};
};

extern constinit FastPassThrough fast_pass_through;

}  // namespace cuboid::detail::drop_in
