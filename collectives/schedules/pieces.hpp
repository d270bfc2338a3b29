#pragma once

#include "base/partition_point_near.hpp"
#include "collectives/schedules/conditions.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// The end of the longest sequence of blocks from `first` on that ends before or at `end` and has
/// at most `most` bytes; at least one block. Block i begins at offset(i), where block i − 1 ends.
/// Takes few steps where the blocks are of about equal lengths.
template <class Offset>
std::size_t end_within(const Offset& offset, std::size_t first, std::size_t end, std::size_t most) {
  if (end <= first + 1) return end;
  const std::size_t begin = offset(first);
  const std::size_t bytes = offset(end) - begin;
  if (bytes <= most) return end;
  const double share = static_cast<double>(most) / static_cast<double>(bytes);
  const auto blocks = static_cast<std::size_t>(share * static_cast<double>(end - first));
  return partition_point_near(first + 2, end, first + blocks + 1,
                              [&](std::size_t block) { return offset(block) - begin <= most; }) -
         1;
}

/// A part of a block.
struct Piece {
  std::size_t block = 0;
  Slice slice = {};  ///< relative to the block's beginning
};

/// The pieces into which the blocks of a message are cut, in the order in which they lie in the
/// message. Pieces that follow a pattern are not listed: the halves of all blocks of a torus, line
/// by line and plane by plane, are one pattern that is repeated along three axes.
class Pieces {
 public:
  /// A pattern is repeated `times` times; from one time to the next the numbers of its blocks grow
  /// by `stride`.
  struct PieceTurn {
    std::size_t times = 1;
    std::size_t stride = 0;
  };

  /// Consecutive pieces: adjacent ones of one block and, `times` times, the same ones of blocks
  /// whose numbers are `stride` apart.
  struct Stretch {
    std::size_t first = 0;   ///< the number of the first piece
    std::size_t count = 1;   ///< of all pieces
    std::size_t offset = 0;  ///< in the message
    std::size_t block = 0;
    Slice slice = {};  ///< of each block
    std::size_t times = 1;
    std::size_t stride = 1;
  };

  /// @param block_at  the block that each number of a pattern stands for; empty: itself.
  explicit Pieces(std::vector<int> block_at = {}) : block_at_(std::move(block_at)) {}
  /// Every block as one piece.
  explicit Pieces(const Conditions& conditions);

  /// Appends a pattern, repeated along the turns, the first turn within the second and so on.
  void add(std::vector<Piece> pattern, std::vector<PieceTurn> turns = {});

  std::size_t size() const { return size_; }
  /// The bytes of all pieces.
  std::size_t bytes() const { return bytes_; }
  /// The bytes of every piece, if all pieces are equal.
  std::optional<std::size_t> equal_bytes() const;
  Piece operator[](std::size_t piece) const;
  /// Where a piece begins in the message; for size(): where the message ends.
  std::size_t offset(std::size_t piece) const;
  /// Calls act(stretch) for the pieces from `first` to before `end` in turn, in stretches as long
  /// as possible, until act returns false. Returns false if it did.
  template <class Act>
  bool visit(std::size_t first, std::size_t end, const Act& act) const;

 private:
  struct RepeatedPieces {
    std::size_t first = 0;   // piece
    std::size_t offset = 0;  // in the message
    std::vector<Piece> pattern;
    std::vector<std::size_t> begins;  // by piece of the pattern, its offset; one entry more
    std::vector<PieceTurn> turns;
  };

  std::size_t block_at(std::size_t number) const {
    return block_at_.empty() ? number : static_cast<std::size_t>(block_at_[number]);
  }
  std::size_t group_of(std::size_t piece) const;

  std::vector<int> block_at_;
  std::vector<RepeatedPieces> groups_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

template <class Act>
bool Pieces::visit(std::size_t first, std::size_t end, const Act& act) const {
  std::vector<std::size_t> digits;  // by turn of the group, how often it has been repeated
  for (std::size_t number = first < end ? group_of(first) : 0; first < end; ++number) {
    const RepeatedPieces& group = groups_[number];
    const std::size_t length = group.pattern.size();
    std::size_t rest = (first - group.first) / length;
    std::size_t next = (first - group.first) % length;  // piece of the pattern
    std::size_t offset = group.offset + rest * group.begins.back() + group.begins[next];
    std::size_t further = 0;  // by how much the numbers of blocks have grown
    digits.clear();
    for (const PieceTurn& turn : group.turns) {
      digits.push_back(rest % turn.times);
      rest /= turn.times;
      further += digits.back() * turn.stride;
    }
    for (bool more = true; more && first < end;) {
      const Piece& piece = group.pattern[next];
      Stretch stretch{first, 1, offset, block_at(piece.block + further), piece.slice};
      for (++next; next < length && first + stretch.count < end; ++next, ++stretch.count) {
        const Piece& adjacent = group.pattern[next];
        if (adjacent.block != piece.block || adjacent.slice.offset != stretch.slice.end()) break;
        stretch.slice.bytes += adjacent.slice.bytes;
      }
      if (stretch.count == length && !digits.empty() && block_at_.empty()) {
        stretch.times = std::min(group.turns[0].times - digits[0], (end - first) / length);
        stretch.stride = group.turns[0].stride;
        stretch.count *= stretch.times;
        digits[0] += stretch.times - 1;
        further += (stretch.times - 1) * stretch.stride;
      }
      if (!act(stretch)) return false;
      first += stretch.count;
      offset += stretch.times * stretch.slice.bytes;
      if (next < length) continue;
      next = 0;
      more = false;
      for (std::size_t turn = 0; turn < digits.size() && !more; ++turn) {
        const auto& [times, stride] = group.turns[turn];
        more = ++digits[turn] < times;
        further += stride;
        if (more) continue;
        further -= times * stride;
        digits[turn] = 0;
      }
    }
  }
  return true;
}

/// Conditions whose blocks are pieces of other conditions' blocks, with the same origins and
/// destinations. The pieces lie in the message in this order.
Conditions in_pieces(const Conditions& conditions, const Pieces& pieces);

/// The single block of conditions in `parts` pieces whose numbers of elements differ by at most
/// one.
Pieces equal_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes);
Conditions in_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes);

}  // namespace cuboid::detail
