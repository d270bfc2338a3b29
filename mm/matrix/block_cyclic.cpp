#include <cuboid/error.hpp>
#include <cuboid/layout.hpp>

#include "mm/matrix/even_parts.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

[[noreturn]] void refuse_blocks(const char* what, std::int64_t value, const std::string& remedy) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("block-cyclic distribution: {} {}: {}", what, value, remedy));
}

std::int64_t blocks_in(std::int64_t extent, std::int64_t block) {
  return extent / block + (extent % block != 0 ? 1 : 0);
}

struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Stretch part_range(const Stretch& whole, int part, int parts) {
  const std::int64_t extent = whole.end - whole.begin;
  return {whole.begin + part_begin(extent, part, parts),
          whole.begin + part_begin(extent, part + 1, parts)};
}

struct NumberedPart {
  int number = 0;
  Stretch range;
};

/// The part of `whole` that contains `index`: the last part that begins at or before it.
NumberedPart part_with(std::int64_t index, const Stretch& whole, int parts) {
  const std::int64_t extent = whole.end - whole.begin;
  const int part = static_cast<int>(((index - whole.begin + 1) * parts - 1) / extent);
  return {part, part_range(whole, part, parts)};
}

}  // namespace

template <class Dimension>
BlockCyclic<Dimension>::BlockCyclic(std::int64_t extent, std::int64_t block, int processes,
                                    int source)
    : extent_(extent), block_(block), processes_(processes), source_(source) {
  if (extent < 0) refuse_blocks("extent", extent, "give 0 or more");
  if (block < 1) refuse_blocks("block size", block, "give 1 or more");
  if (processes < 1) refuse_blocks("number of processes", processes, "give 1 or more");
  if (source < 0 || source >= processes) {
    refuse_blocks("source process", source, fmt::format("give one from 0 to {}", processes - 1));
  }
  // A block longer than the extent is a single block. Cutting it to the extent keeps every product
  // of this class in range.
  block_ = std::min(block, std::max<std::int64_t>(extent, 1));
  if (block_ > std::numeric_limits<std::int64_t>::max() / processes) {
    refuse_blocks("extent", extent, fmt::format("give at most 2^63 / {} (processes)", processes));
  }
}

template <class Dimension>
BlockCyclic<Dimension> BlockCyclic<Dimension>::blocks(std::int64_t extent, int processes) {
  if (processes < 1) refuse_blocks("number of processes", processes, "give 1 or more");
  return {extent, std::max<std::int64_t>(blocks_in(extent, processes), 1), processes};
}

template <class Dimension>
BlockCyclic<Dimension> BlockCyclic<Dimension>::even(std::int64_t extent, int parts, int pieces,
                                                    int cycles) {
  if (parts < 1) refuse_blocks("number of parts", parts, "give 1 or more");
  if (pieces < 1) refuse_blocks("number of pieces", pieces, "give 1 or more");
  if (cycles < 1) refuse_blocks("number of cycles", cycles, "give 1 or more");
  if (pieces > std::numeric_limits<int>::max() / parts) {
    refuse_blocks("number of pieces", pieces, "give fewer parts or pieces");
  }
  // If a process has the whole of its part, its cycles follow one another.
  if (pieces == 1) cycles = 1;
  const std::int64_t longest =
      std::max<std::int64_t>(blocks_in(blocks_in(blocks_in(extent, parts), cycles), pieces), 1);
  BlockCyclic distribution(extent, longest, parts * pieces);
  // Keeps every product of part_begin() and part_with() in range.
  if (extent > std::numeric_limits<std::int64_t>::max() / distribution.processes_ / cycles) {
    refuse_blocks(
        "extent", extent,
        fmt::format("give at most 2^63 / {} (processes) / {} (cycles)", parts * pieces, cycles));
  }
  distribution.whole_ = extent;
  distribution.parts_ = parts;
  distribution.cycles_ = cycles;
  return distribution;
}

template <class Dimension>
BlockCyclic<Dimension> BlockCyclic<Dimension>::slice(GlobalRange<Dimension> range) const {
  const auto [begin, end] = range;
  if (begin.value < 0 || end < begin || end.value > extent_) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("block-cyclic distribution: indices {} to {} of {}: give a range inside",
                    begin.value, end.value, extent_));
  }
  BlockCyclic part = *this;
  part.extent_ = range.extent();
  part.offset_ += begin.value;
  if (is_even()) return part;
  // Whole blocks in front of the slice move the source process. A slice within one block has only
  // one process.
  const std::int64_t blocks = part.offset_ / block_;
  part.source_ = static_cast<int>((blocks % processes_ + source_) % processes_);
  part.offset_ %= block_;
  if (processes_ == 1 || part.offset_ + part.extent_ <= block_) {
    part.offset_ = 0;
    part.block_ = std::min(block_, std::max<std::int64_t>(part.extent_, 1));
    if (processes_ == 1) part.block_ = std::max<std::int64_t>(part.extent_, 1);
  }
  return part;
}

template <class Dimension>
GlobalRange<Dimension> BlockCyclic<Dimension>::even_block(const EvenPlace& place) const {
  const int pieces = processes_ / parts_;
  const auto whole = part_range({0, whole_}, place.process / pieces, parts_);
  const auto [begin, end] =
      part_range(part_range(whole, place.cycle, cycles_), place.process % pieces, pieces);
  return {Global<Dimension>(begin), Global<Dimension>(end)};
}

template <class Dimension>
auto BlockCyclic<Dimension>::even_place(Global<Dimension> index) const -> EvenPlace {
  const int pieces = processes_ / parts_;
  const std::int64_t whole = index.value + offset_;
  const auto [part, of_part] = part_with(whole, {0, whole_}, parts_);
  const auto [cycle, of_cycle] = part_with(whole, of_part, cycles_);
  const auto [piece, of_piece] = part_with(whole, of_cycle, pieces);
  return {part * pieces + piece, cycle};
}

template <class Dimension>
Global<Dimension> BlockCyclic<Dimension>::even_global(int process, Local<Dimension> index) const {
  std::int64_t left = index.value + even_held(process, Global<Dimension>(offset_));
  for (int cycle = 0;; ++cycle) {
    const GlobalRange<Dimension> block = even_block({process, cycle});
    // An index after the last block continues the count from there.
    if (left < block.extent() || cycle == cycles_ - 1) return block.begin + left - offset_;
    left -= block.extent();
  }
}

template <class Dimension>
std::int64_t BlockCyclic<Dimension>::even_held(int process, Global<Dimension> end) const {
  std::int64_t held = 0;
  for (int cycle = 0; cycle < cycles_; ++cycle) {
    const GlobalRange<Dimension> block = even_block({process, cycle});
    held += std::clamp<std::int64_t>(end - block.begin, 0, block.extent());
  }
  return held;
}

template <class Dimension>
Local<Dimension> BlockCyclic<Dimension>::first_local(int process, Global<Dimension> index) const {
  const Global<Dimension> whole = index + offset_;
  if (is_even()) {
    const std::int64_t before = offset_ == 0 ? 0 : even_held(process, Global<Dimension>(offset_));
    return Local<Dimension>(even_held(process, whole) - before);
  }
  const std::int64_t whole_cycles = whole.value / cycle_length();
  const std::int64_t begun = whole.value % cycle_length() - blocks_before(process) * block_;
  return Local<Dimension>(whole_cycles * block_ + std::clamp<std::int64_t>(begun, 0, block_) -
                          missing(process));
}

template <class Dimension>
Global<Dimension> BlockCyclic<Dimension>::run_end(Global<Dimension> index) const {
  if (processes_ == 1) return Global<Dimension>(extent_);
  if (is_even()) return std::min(even_block(even_place(index)).end - offset_, all().end);
  const std::int64_t into_block = (index.value + offset_) % block_;
  // (index / block + 1) * block could exceed 64 bits.
  return Global<Dimension>(index.value + std::min(block_ - into_block, extent_ - index.value));
}

template <class Dimension>
bool BlockCyclic<Dimension>::operator==(const BlockCyclic& other) const {
  if (extent_ != other.extent_ || processes_ != other.processes_) return false;
  if (processes_ == 1 || extent_ == 0) return true;
  const bool same_kind = parts_ == other.parts_ && cycles_ == other.cycles_ &&
                         whole_ == other.whole_ && offset_ == other.offset_;
  if (same_kind && block_ == other.block_ && source_ == other.source_) return true;
  if (is_even() || other.is_even() || offset_ != 0 || other.offset_ != 0) {
    // Within a run of both distributions, owners and local indices advance alike. So only the first
    // index of each run is compared.
    for (Global<Dimension> index; index < all().end;
         index = std::min(run_end(index), other.run_end(index))) {
      if (owner(index) != other.owner(index) || local(index) != other.local(index)) return false;
    }
    return true;
  }
  return false;
}

template class BlockCyclic<Row>;
template class BlockCyclic<Column>;
template class BlockCyclic<Inner>;

}  // namespace cuboid
