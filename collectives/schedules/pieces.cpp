#include "collectives/schedules/pieces.hpp"

#include "collectives/schedules/slices.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

Pieces::Pieces(const Conditions& conditions) {
  const BlockSequence& blocks = conditions.blocks;
  if (const auto bytes = blocks.equal_bytes()) {
    add({{0, {0, *bytes}}}, {{blocks.size(), 1}});
    return;
  }
  std::vector<Piece> all;
  all.reserve(blocks.size());
  for (const Block& block : blocks) all.push_back({all.size(), {0, block.slice.bytes}});
  add(std::move(all));
}

void Pieces::add(std::vector<Piece> pattern, std::vector<PieceTurn> turns) {
  if (pattern.empty()) return;
  RepeatedPieces group;
  group.first = size_;
  group.offset = bytes_;
  group.turns = std::move(turns);
  std::size_t bytes = 0;
  group.begins.reserve(pattern.size() + 1);
  for (const Piece& piece : pattern) {
    group.begins.push_back(bytes);
    bytes += piece.slice.bytes;
  }
  group.begins.push_back(bytes);
  std::size_t times = 1;
  for (const PieceTurn& turn : group.turns) times *= turn.times;
  size_ += times * pattern.size();
  bytes_ += times * bytes;
  group.pattern = std::move(pattern);
  groups_.push_back(std::move(group));
}

std::optional<std::size_t> Pieces::equal_bytes() const {
  std::optional<std::size_t> bytes;
  for (const RepeatedPieces& group : groups_) {
    for (const Piece& piece : group.pattern) {
      if (bytes.value_or(piece.slice.bytes) != piece.slice.bytes) return std::nullopt;
      bytes = piece.slice.bytes;
    }
  }
  return bytes;
}

std::size_t Pieces::group_of(std::size_t piece) const {
  const auto after = std::ranges::upper_bound(groups_, piece, {}, &RepeatedPieces::first);
  return static_cast<std::size_t>(after - groups_.begin()) - 1;
}

Piece Pieces::operator[](std::size_t piece) const {
  Piece found;
  const RepeatedPieces& group = groups_[group_of(piece)];
  const std::size_t length = group.pattern.size();
  found = group.pattern[(piece - group.first) % length];
  std::size_t rest = (piece - group.first) / length;
  for (const PieceTurn& turn : group.turns) {
    found.block += rest % turn.times * turn.stride;
    rest /= turn.times;
  }
  found.block = block_at(found.block);
  return found;
}

std::size_t Pieces::offset(std::size_t piece) const {
  if (piece == size_) return bytes_;
  const RepeatedPieces& group = groups_[group_of(piece)];
  const std::size_t length = group.pattern.size();
  return group.offset + (piece - group.first) / length * group.begins.back() +
         group.begins[(piece - group.first) % length];
}

Conditions in_pieces(const Conditions& conditions, const Pieces& pieces) {
  Conditions cut_up{conditions.ranks, {}};
  cut_up.blocks.reserve(pieces.size());
  std::size_t offset = 0;
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    const Piece piece = pieces[number];
    const Block& whole = conditions.blocks.at(piece.block);
    cut_up.blocks.push_back({{offset, piece.slice.bytes}, whole.before, whole.after});
    offset += piece.slice.bytes;
  }
  return cut_up;
}

Pieces equal_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes) {
  std::vector<Piece> pieces;
  const Slice whole{0, conditions.blocks.at(0).slice.bytes};
  for (const Slice& slice : cut(whole, parts, element_bytes)) pieces.push_back({0, slice});
  Pieces all;
  all.add(std::move(pieces));
  return all;
}

Conditions in_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes) {
  return in_pieces(conditions, equal_pieces(conditions, parts, element_bytes));
}

}  // namespace cuboid::detail
