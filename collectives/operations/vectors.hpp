#pragma once

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Broadcasts a vector and its length from `root`; the other ranks' vectors get that length.
/// Collective.
template <class T>
void broadcast_vector(const Communicator& communicator, std::vector<T>& values, int root) {
  std::array count = {values.size()};
  broadcast(communicator, count, root);
  values.resize(count[0]);
  if (!values.empty()) broadcast(communicator, values, root);
}

/// Gathers the bytes of every rank on all ranks. Returns them by rank; their lengths may differ.
/// Collective.
inline std::vector<std::vector<std::byte>> gather_bytes(const Communicator& communicator,
                                                        std::span<const std::byte> mine) {
  const std::size_t length = mine.size();
  std::vector<std::size_t> lengths(static_cast<std::size_t>(communicator.size()));
  allgather(communicator, std::span(&length, 1), lengths);
  std::size_t total = 0;
  for (const std::size_t one : lengths) total += one;
  std::vector<std::byte> all(total);
  allgatherv(communicator, mine, all, lengths);
  std::vector<std::vector<std::byte>> by_rank;
  by_rank.reserve(lengths.size());
  auto next = all.begin();
  for (const std::size_t one : lengths) {
    const auto end = next + static_cast<std::ptrdiff_t>(one);
    by_rank.emplace_back(next, end);
    next = end;
  }
  return by_rank;
}

}  // namespace cuboid::detail
