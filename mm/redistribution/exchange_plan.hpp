#pragma once

#include "mm/redistribution/axis_runs.hpp"
#include "mm/redistribution/ownership.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace cuboid::detail {

/// What two ranks have in common of one block each: rows × columns. In a message it is dense and
/// column-major, as the destination numbers it.
struct Patch {
  int transfer = 0;         ///< which of several redistributions
  bool transposed = false;  ///< the source is
  const SharedIndices* rows = nullptr;
  const SharedIndices* columns = nullptr;
  int source_block = -1;       ///< of this rank, where it has it
  int destination_block = -1;  ///< the same
  std::int64_t elements() const { return rows->extent() * columns->extent(); }
};

/// A part of a patch.
struct PatchPiece {
  std::size_t patch = 0;
  std::int64_t row_begin = 0, row_end = 0;
  std::int64_t column_begin = 0, column_end = 0;
  std::int64_t elements() const { return (row_end - row_begin) * (column_end - column_begin); }
};

/// The pieces that travel together, one behind the other.
struct MessageChunk {
  std::size_t first_piece = 0;
  std::size_t end_piece = 0;
  std::int64_t elements = 0;
};

/// What this rank sends to another, or receives from it, in chunks that both know.
struct PeerMessages {
  int peer = 0;
  std::vector<Patch> patches;
  std::vector<PatchPiece> pieces;
  std::vector<MessageChunk> chunks;
};

/// One redistribution of several.
struct MatrixTransfer {
  Ownership source;  ///< of op(source)
  Ownership destination;
};

/// What one rank sends, receives and keeps in some redistributions. Pure: both ends of a message
/// know the same chunks of it. In time near-linear in the blocks.
struct ExchangePlan {
  /// @param chunk_elements  of a message at most, >= 1; the same on all ranks.
  ExchangePlan(const std::vector<MatrixTransfer>& transfers, int rank, int ranks,
               std::int64_t chunk_elements);

  std::vector<PeerMessages> outgoing;  ///< each rank begins with those behind it
  std::vector<PeerMessages> incoming;  ///< each rank begins with those before it
  std::vector<Patch> kept;

 private:
  struct SharedAxes {
    AxisRuns rows, columns;
  };
  std::deque<SharedAxes> axes_;  // which patches refer to
};

}  // namespace cuboid::detail
