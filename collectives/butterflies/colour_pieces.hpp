#pragma once

#include "collectives/schedules/pieces.hpp"
#include "collectives/schedules/slices.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// The number of pieces of a message if each colour (a Butterfly or a ScatterAllgather) scatters
/// its part of the message in its first `scatter_steps` steps.
template <class Colours>
std::int64_t count_pieces(const Colours& colours, int scatter_steps) {
  std::int64_t pieces = 0;
  for (const auto& colour : colours) pieces += colour.pieces(scatter_steps);
  return pieces;
}

/// The pieces that count_pieces() counts, as ranges of bytes: every colour has an equal part of the
/// message, and a colour's pieces have equal lengths.
template <class Colours>
Pieces colour_pieces(const Colours& colours, int scatter_steps, std::size_t bytes,
                     std::size_t element_bytes) {
  std::vector<Piece> all;
  const std::vector<Slice> parts = cut({0, bytes}, colours.size(), element_bytes);
  for (std::size_t colour = 0; colour < parts.size(); ++colour) {
    const auto count = static_cast<std::size_t>(colours[colour].pieces(scatter_steps));
    for (const Slice& slice : cut(parts[colour], count, element_bytes)) all.push_back({0, slice});
  }
  Pieces pieces;
  pieces.add(std::move(all));
  return pieces;
}

}  // namespace cuboid::detail
