#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cuboid::detail::drop_in {

/// Lengths of the calls of one kind on one communicator, where a rank knows only the blocks that it
/// sends or receives itself. Now and then the ranks agree on the lengths of the last few calls;
/// where these were alike, so are those to come taken to be, until the ranks agree anew.
/// Pure: all ranks take the same steps.
class RecentLengths {
 public:
  static constexpr std::size_t remembered = 4;
  /// At least so many calls lie between two agreements of a long series.
  static constexpr std::uint64_t longest_interval = 256;

  /// Tells of a call, by the bytes that this rank knows of; true where the ranks have to agree
  /// before it is made, on the greatest of lengths() over all ranks.
  bool add(std::size_t bytes);
  std::span<std::int64_t> lengths() { return lengths_; }
  /// To be called once lengths() are the greatest.
  void agreed();

  /// What calls are taken to be long; 0 where nothing is known or their lengths differ.
  std::size_t expected() const { return expected_; }

 private:
  std::array<std::int64_t, remembered> lengths_ = {};
  std::uint64_t calls_ = 0;
  std::size_t expected_ = 0;
};

}  // namespace cuboid::detail::drop_in
