#include "mm/redistribution/exchange_plan.hpp"

#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace cuboid::detail {

namespace {

/// The order of patches, which both ends of a message know: by number of the transfer, then by
/// classes of rows, then by classes of columns.
using Order = std::array<int, 5>;
struct OrderedPatch {
  Order order{};
  Patch patch;
};
using ByPeer = std::map<int, std::vector<OrderedPatch>>;

ClassSet classes_in(const AxisDistribution& axis, const std::vector<Ownership::ClassBlock>& blocks,
                    int Ownership::ClassBlock::*which) {
  ClassSet set(as_size(classes_of(axis)));
  for (const Ownership::ClassBlock& block : blocks) set[as_size(block.*which)] = true;
  return set;
}

/// Cuts a patch into pieces of at most `most` elements. Pieces consist of whole columns if a column
/// fits. If the source is transposed, which reads it along rows, pieces are about square, and their
/// number of rows is a power of two, so that usual blocks and cache lines are not cut.
std::vector<PatchPiece> pieces_of(const Patch& patch, std::size_t number, std::int64_t most) {
  const std::int64_t rows = patch.rows->extent(), columns = patch.columns->extent();
  const auto side = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(most)))));
  const std::int64_t height = std::min(rows, patch.transposed ? side : most);
  const std::int64_t width = std::max<std::int64_t>(most / height, 1);
  std::vector<PatchPiece> pieces;
  for (std::int64_t column = 0; column < columns; column += width) {
    for (std::int64_t row = 0; row < rows; row += height) {
      pieces.push_back(
          {number, row, std::min(row + height, rows), column, std::min(column + width, columns)});
    }
  }
  return pieces;
}

PeerMessages messages_with(int peer, std::vector<OrderedPatch> patches, std::int64_t most) {
  std::ranges::sort(patches, {}, &OrderedPatch::order);
  PeerMessages messages{peer, {}, {}, {}};
  for (const OrderedPatch& ordered : patches) {
    const std::size_t number = messages.patches.size();
    messages.patches.push_back(ordered.patch);
    for (const PatchPiece& piece : pieces_of(ordered.patch, number, most)) {
      auto& chunks = messages.chunks;
      if (chunks.empty() || chunks.back().elements + piece.elements() > most)
        chunks.push_back({messages.pieces.size(), messages.pieces.size(), 0});
      messages.pieces.push_back(piece);
      chunks.back().end_piece = messages.pieces.size();
      chunks.back().elements += piece.elements();
    }
  }
  return messages;
}

std::vector<PeerMessages> in_turn(ByPeer by_peer, std::int64_t most, const auto& distance) {
  std::vector<PeerMessages> all;
  for (auto& [peer, patches] : by_peer)
    all.push_back(messages_with(peer, std::move(patches), most));
  std::ranges::sort(all, {}, [&](const PeerMessages& one) { return distance(one.peer); });
  return all;
}

/// Calls visit(row class of the source, row class of the destination, column class of the source,
/// column class of the destination) for all rows and columns that a block of the source shares with
/// the destination. The second function does the same for a block of the destination.
void for_each_of_source(const AxisRuns& rows, const AxisRuns& columns,
                        const Ownership::ClassBlock& block, const auto& visit) {
  for (const int column : columns.destinations(block.column_class)) {
    for (const int row : rows.destinations(block.row_class))
      visit(block.row_class, row, block.column_class, column);
  }
}
void for_each_of_destination(const AxisRuns& rows, const AxisRuns& columns,
                             const Ownership::ClassBlock& block, const auto& visit) {
  for (const int column : columns.sources(block.column_class)) {
    for (const int row : rows.sources(block.row_class))
      visit(row, block.row_class, column, block.column_class);
  }
}

}  // namespace

ExchangePlan::ExchangePlan(const std::vector<MatrixTransfer>& transfers, int rank, int ranks,
                           std::int64_t chunk_elements) {
  ByPeer sent, received;
  for (std::size_t number = 0; number < transfers.size(); ++number) {
    const auto& [source, destination] = transfers[number];
    const auto sources = source.blocks_of(rank), destinations = destination.blocks_of(rank);
    const auto axis = [&](const AxisDistribution& from, const AxisDistribution& to,
                          int Ownership::ClassBlock::*which) {
      return AxisRuns(from, to, classes_in(from, sources, which),
                      classes_in(to, destinations, which));
    };
    axes_.push_back(
        {axis(source.rows(), destination.rows(), &Ownership::ClassBlock::row_class),
         axis(source.columns(), destination.columns(), &Ownership::ClassBlock::column_class)});
    const AxisRuns& rows = axes_.back().rows;
    const AxisRuns& columns = axes_.back().columns;
    const auto patch = [&](int a, int b, int c, int d) {
      return OrderedPatch{{static_cast<int>(number), a, b, c, d},
                          {.transfer = static_cast<int>(number),
                           .transposed = source.transposed(),
                           .rows = &rows.shared(a, b),
                           .columns = &columns.shared(c, d)}};
    };
    std::map<Order, std::size_t> kept_at;
    for (std::size_t block = 0; block < sources.size(); ++block) {
      for_each_of_source(rows, columns, sources[block], [&](int a, int b, int c, int d) {
        destination.for_each_owner(b, d, [&](int peer) {
          if (source.sender_to(peer, a, c) != rank) return;
          OrderedPatch ordered = patch(a, b, c, d);
          ordered.patch.source_block = static_cast<int>(block);
          if (peer != rank) {
            sent[peer].push_back(ordered);
          } else {
            kept_at[ordered.order] = kept.size();
            kept.push_back(ordered.patch);
          }
        });
      });
    }
    for (std::size_t block = 0; block < destinations.size(); ++block) {
      for_each_of_destination(rows, columns, destinations[block], [&](int a, int b, int c, int d) {
        OrderedPatch ordered = patch(a, b, c, d);
        ordered.patch.destination_block = static_cast<int>(block);
        const int peer = source.sender_to(rank, a, c);
        if (peer != rank) {
          received[peer].push_back(ordered);
        } else {
          kept[kept_at.at(ordered.order)].destination_block = static_cast<int>(block);
        }
      });
    }
  }
  outgoing = in_turn(std::move(sent), chunk_elements,
                     [&](int peer) { return (peer - rank + ranks) % ranks; });
  incoming = in_turn(std::move(received), chunk_elements,
                     [&](int peer) { return (rank - peer + ranks) % ranks; });
}

}  // namespace cuboid::detail
