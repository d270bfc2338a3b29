#include <cuboid/base/error.hpp>
#include <cuboid/mm/block_cyclic.hpp>
#include <cuboid/mm/even_parts.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace cuboid {

namespace {

[[noreturn]] void reject(const char* what, std::int64_t value, const std::string& remedy) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("block-cyclic distribution: {} {}: {}", what, value, remedy));
}

std::int64_t blocks_in(std::int64_t extent, std::int64_t block) {
  return extent / block + (extent % block != 0 ? 1 : 0);
}

/// The part that holds `index`: the last one that begins at or before it.
std::int64_t part_of(std::int64_t index, std::int64_t extent, std::int64_t parts) {
  return ((index + 1) * parts - 1) / extent;
}

}  // namespace

template <class Dimension>
BlockCyclic<Dimension>::BlockCyclic(std::int64_t extent, std::int64_t block, int processes,
                                    int source)
    : extent_(extent), block_(block), processes_(processes), source_(source) {
  if (extent < 0) reject("extent", extent, "give 0 or more");
  if (block < 1) reject("block size", block, "give 1 or more");
  if (processes < 1) reject("number of processes", processes, "give 1 or more");
  if (source < 0 || source >= processes) {
    reject("source process", source, fmt::format("give one from 0 to {}", processes - 1));
  }
  // A block longer than the extent is one block; cutting it keeps every product of the class in
  // range.
  block_ = std::min(block, std::max<std::int64_t>(extent, 1));
  if (block_ > std::numeric_limits<std::int64_t>::max() / processes) {
    reject("extent", extent, fmt::format("give at most 2^63 / {} (processes)", processes));
  }
}

template <class Dimension>
BlockCyclic<Dimension> BlockCyclic<Dimension>::blocks(std::int64_t extent, int processes) {
  if (processes < 1) reject("number of processes", processes, "give 1 or more");
  return {extent, std::max<std::int64_t>(blocks_in(extent, processes), 1), processes};
}

template <class Dimension>
BlockCyclic<Dimension> BlockCyclic<Dimension>::even(std::int64_t extent, int parts, int pieces) {
  if (parts < 1) reject("number of parts", parts, "give 1 or more");
  if (pieces < 1) reject("number of pieces", pieces, "give 1 or more");
  if (pieces > std::numeric_limits<int>::max() / parts) {
    reject("number of pieces", pieces, "give fewer parts or pieces");
  }
  const std::int64_t longest =
      std::max<std::int64_t>(blocks_in(blocks_in(extent, parts), pieces), 1);
  BlockCyclic distribution(extent, longest, parts * pieces);
  // Every product of part_begin() and part_of() stays in range.
  if (extent > std::numeric_limits<std::int64_t>::max() / distribution.processes_) {
    reject("extent", extent, fmt::format("give at most 2^63 / {} (processes)", parts * pieces));
  }
  distribution.parts_ = parts;
  return distribution;
}

template <class Dimension>
std::int64_t BlockCyclic<Dimension>::even_begin(int process) const {
  const std::int64_t pieces = processes_ / parts_;
  const std::int64_t part = process / pieces;
  const std::int64_t begin = part_begin(extent_, part, parts_);
  if (process % pieces == 0) return begin;
  return begin +
         part_begin(part_begin(extent_, part + 1, parts_) - begin, process % pieces, pieces);
}

template <class Dimension>
int BlockCyclic<Dimension>::even_owner(Global<Dimension> index) const {
  const std::int64_t pieces = processes_ / parts_;
  const std::int64_t part = part_of(index.value, extent_, parts_);
  const std::int64_t begin = part_begin(extent_, part, parts_);
  const std::int64_t extent = part_begin(extent_, part + 1, parts_) - begin;
  return static_cast<int>(part * pieces + part_of(index.value - begin, extent, pieces));
}

template <class Dimension>
Local<Dimension> BlockCyclic<Dimension>::first_local(int process, Global<Dimension> index) const {
  if (is_even()) {
    const std::int64_t begin = even_begin(process);
    return Local<Dimension>(
        std::clamp<std::int64_t>(index.value - begin, 0, even_begin(process + 1) - begin));
  }
  const std::int64_t whole_cycles = index.value / cycle();
  const std::int64_t begun = index.value % cycle() - turn(process) * block_;
  return Local<Dimension>(whole_cycles * block_ + std::clamp<std::int64_t>(begun, 0, block_));
}

template <class Dimension>
Global<Dimension> BlockCyclic<Dimension>::run_end(Global<Dimension> index) const {
  if (processes_ == 1) return Global<Dimension>(extent_);
  if (is_even()) return Global<Dimension>(even_begin(even_owner(index) + 1));
  const std::int64_t into_block = index.value % block_;
  // Not (index / block + 1) * block, which could leave 64 bits.
  return Global<Dimension>(index.value + std::min(block_ - into_block, extent_ - index.value));
}

template <class Dimension>
bool BlockCyclic<Dimension>::operator==(const BlockCyclic& other) const {
  if (extent_ != other.extent_ || processes_ != other.processes_) return false;
  if (processes_ == 1 || extent_ == 0) return true;
  if (is_even() || other.is_even()) {
    // Whatever the two are, they are the same when every process has the same single block.
    for (int process = 0; process < processes_; ++process) {
      const std::int64_t held = local_extent(process);
      if (held != other.local_extent(process)) return false;
      if (held == 0) continue;
      const Local<Dimension> first(0), last(held - 1);
      if (global(process, first) != other.global(process, first) ||
          global(process, last) != other.global(process, last)) {
        return false;
      }
    }
    return true;
  }
  return block_ == other.block_ && source_ == other.source_;
}

template class BlockCyclic<Row>;
template class BlockCyclic<Column>;
template class BlockCyclic<Inner>;

}  // namespace cuboid
