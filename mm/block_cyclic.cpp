#include <cuboid/base/error.hpp>
#include <cuboid/mm/block_cyclic.hpp>

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
Local<Dimension> BlockCyclic<Dimension>::first_local(int process, Global<Dimension> index) const {
  const std::int64_t whole_cycles = index.value / cycle();
  const std::int64_t begun = index.value % cycle() - turn(process) * block_;
  return Local<Dimension>(whole_cycles * block_ + std::clamp<std::int64_t>(begun, 0, block_));
}

template <class Dimension>
Global<Dimension> BlockCyclic<Dimension>::run_end(Global<Dimension> index) const {
  if (processes_ == 1) return Global<Dimension>(extent_);
  const std::int64_t into_block = index.value % block_;
  // Not (index / block + 1) * block, which could leave 64 bits.
  return Global<Dimension>(index.value + std::min(block_ - into_block, extent_ - index.value));
}

template <class Dimension>
bool BlockCyclic<Dimension>::operator==(const BlockCyclic& other) const {
  if (extent_ != other.extent_ || processes_ != other.processes_) return false;
  if (processes_ == 1 || extent_ == 0) return true;
  return block_ == other.block_ && source_ == other.source_;
}

template class BlockCyclic<Row>;
template class BlockCyclic<Column>;
template class BlockCyclic<Inner>;

}  // namespace cuboid
