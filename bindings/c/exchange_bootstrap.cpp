#include "bindings/c/exchange_bootstrap.hpp"

#include "bindings/c/guarded.hpp"

#include <algorithm>

namespace cuboid::detail::c {

ExchangeBootstrap::ExchangeBootstrap(int rank, int size, cuboid_exchange_function exchange,
                                     void* context)
    : rank_(rank), size_(size), exchange_(exchange), context_(context) {
  if (size < 1 || rank < 0 || rank >= size)
    refuse("rank " + std::to_string(rank) + " of " + std::to_string(size) + ": give 0 to size - 1");
  if (exchange == nullptr) refuse("the exchange function is NULL");
}

void ExchangeBootstrap::exchange(std::span<const std::byte> mine, std::span<std::byte> all) const {
  const int code = exchange_(mine.data(), mine.size(), all.data(), context_);
  if (code == 0) return;
  throw Error(ErrorCode::peer_failed, "rank " + std::to_string(rank_) +
                                          ": bootstrap: the exchange function returned " +
                                          std::to_string(code));
}

std::vector<std::vector<std::byte>> ExchangeBootstrap::allgather(std::span<const std::byte> mine) {
  const auto ranks = static_cast<std::size_t>(size_);
  const std::uint64_t length = mine.size();
  std::vector<std::uint64_t> lengths(ranks);
  exchange(std::as_bytes(std::span(&length, 1)), std::as_writable_bytes(std::span(lengths)));
  const std::size_t longest = std::max<std::uint64_t>(1, *std::ranges::max_element(lengths));

  std::vector<std::byte> filled_up(longest);
  std::ranges::copy(mine, filled_up.begin());
  std::vector<std::byte> all(longest * ranks);
  exchange(filled_up, all);
  std::vector<std::vector<std::byte>> said(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank * longest);
    said[rank].assign(first, first + static_cast<std::ptrdiff_t>(lengths[rank]));
  }
  return said;
}

}  // namespace cuboid::detail::c
