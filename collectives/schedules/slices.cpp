#include "collectives/schedules/slices.hpp"

#include <cmath>
#include <numeric>

namespace cuboid::detail {

std::vector<Slice> cut(Slice whole, std::span<const double> shares, std::size_t element_bytes) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const std::size_t elements = whole.bytes / element_bytes;
  std::vector<Slice> slices;
  std::size_t offset = whole.offset;
  double up_to_here = 0;
  for (std::size_t part = 0; part < shares.size(); ++part) {
    up_to_here += shares[part];
    const auto end_element =
        static_cast<std::size_t>(std::llround(up_to_here / sum * static_cast<double>(elements)));
    const bool last = part + 1 == shares.size();
    const std::size_t end = last ? whole.end() : whole.offset + end_element * element_bytes;
    slices.push_back({offset, end - offset});
    offset = end;
  }
  return slices;
}

std::vector<Slice> cut(Slice whole, std::size_t parts, std::size_t element_bytes) {
  const std::size_t elements = whole.bytes / element_bytes;
  std::vector<Slice> slices;
  std::size_t offset = whole.offset;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t bytes =
        (elements / parts + (part < elements % parts ? 1 : 0)) * element_bytes;
    slices.push_back({offset, bytes});
    offset += bytes;
  }
  return slices;
}

Conditions in_pieces(const Conditions& conditions, std::span<const Piece> pieces) {
  Conditions cut_up{conditions.ranks, {}};
  cut_up.blocks.reserve(pieces.size());
  std::size_t offset = 0;
  for (const Piece& piece : pieces) {
    const Block& whole = conditions.blocks.at(piece.block);
    cut_up.blocks.push_back({{offset, piece.slice.bytes}, whole.before, whole.after});
    offset += piece.slice.bytes;
  }
  return cut_up;
}

std::vector<Piece> equal_pieces(const Conditions& conditions, std::size_t parts,
                                std::size_t element_bytes) {
  std::vector<Piece> pieces;
  const Slice whole{0, conditions.blocks.at(0).slice.bytes};
  for (const Slice& slice : cut(whole, parts, element_bytes)) pieces.push_back({0, slice});
  return pieces;
}

Conditions in_pieces(const Conditions& conditions, std::size_t parts, std::size_t element_bytes) {
  return in_pieces(conditions, equal_pieces(conditions, parts, element_bytes));
}

namespace {

// Consecutive blocks, and the least number of runs that they need.
struct Stretch {
  std::size_t blocks = 0;
  std::size_t bytes = 0;
  std::size_t runs = 1;
};

Stretch first_stretch(std::span<const int> blocks, const Conditions& conditions,
                      std::size_t longest_run) {
  Stretch stretch;
  std::size_t of_run = 0;
  for (const int block : blocks) {
    if (stretch.blocks > 0 && block != blocks.front() + static_cast<int>(stretch.blocks)) break;
    const std::size_t bytes = conditions.blocks[static_cast<std::size_t>(block)].slice.bytes;
    if (stretch.blocks > 0 && of_run + bytes > longest_run) {
      ++stretch.runs;
      of_run = 0;
    }
    of_run += bytes;
    stretch.bytes += bytes;
    ++stretch.blocks;
  }
  return stretch;
}

}  // namespace

std::vector<BlockRun> runs_of(std::span<const int> blocks, const Conditions& conditions,
                              std::size_t longest_run) {
  std::vector<BlockRun> runs;
  while (!blocks.empty()) {
    const Stretch stretch = first_stretch(blocks, conditions, longest_run);
    std::size_t before = 0;
    std::size_t last_part = stretch.runs + 1;  // none
    for (const int number : blocks.first(stretch.blocks)) {
      const auto block = static_cast<std::size_t>(number);
      const std::size_t bytes = conditions.blocks[block].slice.bytes;
      // The stretch is cut into equal parts, one for each run; a block belongs to the part that its
      // middle lies in.
      const std::size_t part = (2 * before + bytes) * stretch.runs / (2 * stretch.bytes + 1);
      before += bytes;
      if (part == last_part && runs.back().bytes + bytes <= longest_run) {
        runs.back().end_block = block + 1;
        runs.back().bytes += bytes;
      } else {
        runs.push_back({block, block + 1, bytes});
      }
      last_part = part;
    }
    blocks = blocks.subspan(stretch.blocks);
  }
  return runs;
}

}  // namespace cuboid::detail
