#pragma once

#include "mm/redistribution/axis_runs.hpp"
#include "mm/redistribution/ownership.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace cuboid::detail {

/// The rows × columns that a block of one rank shares with a block of another rank. In a message
/// they are dense and column-major, in the order of the destination.
struct Patch {
  int transfer = 0;         ///< number of the redistribution
  bool transposed = false;  ///< true if the source is transposed
  const SharedIndices* rows = nullptr;
  const SharedIndices* columns = nullptr;
  int source_block = -1;       ///< this rank's block of the source, if it has one
  int destination_block = -1;  ///< this rank's block of the destination, if it has one
  std::int64_t elements() const { return rows->extent() * columns->extent(); }
};

/// A part of a patch.
struct PatchPiece {
  std::size_t patch = 0;
  std::int64_t row_begin = 0, row_end = 0;
  std::int64_t column_begin = 0, column_end = 0;
  std::int64_t elements() const { return (row_end - row_begin) * (column_end - column_begin); }
};

/// The pieces of a message that travel together, in sequence.
struct MessageChunk {
  std::size_t first_piece = 0;
  std::size_t end_piece = 0;
  std::int64_t elements = 0;
};

/// The messages to or from another rank, in chunks that both ranks know.
struct PeerMessages {
  int peer = 0;
  std::vector<Patch> patches;
  std::vector<PatchPiece> pieces;
  std::vector<MessageChunk> chunks;
};

/// One redistribution of several.
struct MatrixTransfer {
  Ownership source;  ///< ownership of op(source)
  Ownership destination;
};

/// The data that one rank sends, receives and keeps in some redistributions. Pure: both ends of a
/// message know the same chunks of it. Takes time near-linear in the number of blocks.
struct ExchangePlan {
  /// @param chunk_elements  the most elements of a chunk, >= 1; the same on all ranks.
  ExchangePlan(const std::vector<MatrixTransfer>& transfers, int rank, int ranks,
               std::int64_t chunk_elements);

  std::vector<PeerMessages> outgoing;  ///< each rank begins with the ranks after it
  std::vector<PeerMessages> incoming;  ///< each rank begins with the ranks before it
  std::vector<Patch> kept;

 private:
  struct SharedAxes {
    AxisRuns rows, columns;
  };
  std::deque<SharedAxes> axes_;  // memory to which patches refer
};

}  // namespace cuboid::detail
