#include "collectives/transport/group.hpp"

#include <cuboid/error.hpp>

#include "collectives/types/tag.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {
constexpr std::uint32_t word_bits = 64;
}

ContextNumbers::ContextNumbers() : free_(Tag::max_contexts / word_bits, ~std::uint64_t{0}) {}

void ContextNumbers::take(std::uint32_t number) {
  free_[number / word_bits] &= ~(std::uint64_t{1} << (number % word_bits));
}

void ContextNumbers::give_back(std::uint32_t number, std::unique_ptr<Board> board) {
  if (board) {
    returned_.push_back({number, std::move(board)});
  } else {
    free_[number / word_bits] |= std::uint64_t{1} << (number % word_bits);
  }
}

const std::vector<std::uint64_t>& ContextNumbers::free_mask() {
  std::erase_if(returned_, [this](const Returned& returned) {
    const bool read = returned.board->is_read_by_all();
    if (read) give_back(returned.number);
    return read;
  });
  return free_;
}

std::uint32_t ContextNumbers::lowest(const std::vector<std::uint64_t>& mask) {
  for (std::size_t word = 0; word < mask.size(); ++word) {
    if (mask[word] == 0) continue;
    return static_cast<std::uint32_t>(word) * word_bits +
           static_cast<std::uint32_t>(std::countr_zero(mask[word]));
  }
  throw Error(ErrorCode::unsupported, "too many communicators exist; destroy some first");
}

Group::Group(std::shared_ptr<ContextNumbers> numbers, std::uint32_t context,
             std::vector<int> world_ranks, int rank)
    : numbers_(std::move(numbers)),
      context_(context),
      world_ranks_(std::move(world_ranks)),
      rank_(rank) {
  numbers_->take(context_);
}

std::string Group::name(int world_rank) const {
  const auto found = std::find(world_ranks_.begin(), world_ranks_.end(), world_rank);
  const auto here = found - world_ranks_.begin();
  if (found == world_ranks_.end() || here == world_rank) return fmt::format("rank {}", world_rank);
  return fmt::format("rank {} (rank {} of this communicator)", world_rank, here);
}

// Messages of a broken group may still be in flight, so its number is not used again.
Group::~Group() {
  if (broken_.empty()) numbers_->give_back(context_, std::move(board_));
}

}  // namespace cuboid::detail
