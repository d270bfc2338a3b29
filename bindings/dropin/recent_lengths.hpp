#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cuboid::detail::drop_in {

/// The lengths of the calls of one kind on one communicator, for collectives in which a rank knows
/// only the blocks that it sends or receives itself. At intervals the ranks agree on the lengths of
/// the last few calls. If these are similar, later calls are expected to be as long until the ranks
/// agree again. Pure: all ranks take the same decisions.
class RecentLengths {
 public:
  static constexpr std::size_t remembered = 4;
  /// The most calls between two agreements, in a long series of calls.
  static constexpr std::uint64_t longest_interval = 256;

  /// Records the bytes of a call that this rank knows. Returns true if, before the call, the ranks
  /// should agree on the maxima of lengths() over all ranks.
  bool add(std::size_t bytes);
  /// The lengths of the last calls, in no particular order, but in the same order on all ranks; 0
  /// for calls not made yet.
  std::span<const std::int64_t, remembered> lengths() const { return lengths_; }
  /// @param greatest  the maxima of lengths() over all ranks
  void agree(std::span<const std::int64_t, remembered> greatest);

  /// The expected length of calls; 0 if it is unknown or the lengths differ.
  std::size_t expected() const { return expected_; }

 private:
  std::array<std::int64_t, remembered> lengths_ = {};
  std::uint64_t calls_ = 0;
  std::size_t expected_ = 0;
};

}  // namespace cuboid::detail::drop_in
