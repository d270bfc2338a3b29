#include "mm/redistribution/assignment.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace cuboid::detail {

namespace {

std::int64_t kept_by(const std::map<std::size_t, std::int64_t>& kept_of_part, std::size_t rank) {
  const auto found = kept_of_part.find(rank);
  return found == kept_of_part.end() ? 0 : found->second;
}

/// Assigns the largest entries first. A part that gets no rank in this way has the rank of its own
/// number if that is free, else one of the ranks that are left.
std::vector<std::size_t> largest_first(const KeptElements& kept) {
  struct Entry {
    std::int64_t elements;
    std::size_t part;
    std::size_t rank;
  };
  std::vector<Entry> entries;
  for (std::size_t part = 0; part < kept.size(); ++part) {
    for (const auto& [rank, elements] : kept[part]) entries.push_back({elements, part, rank});
  }
  std::ranges::stable_sort(entries, std::greater(), &Entry::elements);

  const std::size_t none = kept.size();
  std::vector<std::size_t> ranks(kept.size(), none);
  std::vector<bool> taken(kept.size());
  const auto give = [&](std::size_t part, std::size_t rank) {
    if (ranks[part] != none || taken[rank]) return;
    ranks[part] = rank;
    taken[rank] = true;
  };
  for (const Entry& entry : entries) give(entry.part, entry.rank);
  for (std::size_t part = 0; part < kept.size(); ++part) give(part, part);
  std::size_t left = 0;
  for (std::size_t& rank : ranks) {
    if (rank != none) continue;
    while (taken[left]) ++left;
    rank = left++;
  }
  return ranks;
}

/// Exchanges pairs several times, because one exchange makes others possible. An exchange can keep
/// more elements only if it gives one of its two parts a rank that keeps some of the part. So only
/// the entries are tried, not all pairs.
void exchange_pairs(const KeptElements& kept, std::vector<std::size_t>& ranks) {
  std::vector<std::size_t> part_of(ranks.size());
  for (std::size_t part = 0; part < ranks.size(); ++part) part_of[ranks[part]] = part;
  constexpr int most_rounds = 16;
  bool better = true;
  for (int round = 0; better && round < most_rounds; ++round) {
    better = false;
    for (std::size_t part = 0; part < ranks.size(); ++part) {
      for (const auto& [rank, elements] : kept[part]) {
        const std::size_t other = part_of[rank], own = ranks[part];
        const std::int64_t now = kept_by(kept[part], own) + kept_by(kept[other], rank);
        const std::int64_t then = elements + kept_by(kept[other], own);
        if (then <= now) continue;
        std::swap(ranks[part], ranks[other]);
        std::swap(part_of[own], part_of[rank]);
        better = true;
      }
    }
  }
}

}  // namespace

std::vector<std::size_t> assignment(const KeptElements& kept) {
  std::vector<std::size_t> ranks = largest_first(kept);
  exchange_pairs(kept, ranks);
  return ranks;
}

std::int64_t all_kept(const KeptElements& kept, const std::vector<std::size_t>& ranks) {
  std::int64_t elements = 0;
  for (std::size_t part = 0; part < kept.size(); ++part)
    elements += kept_by(kept[part], ranks[part]);
  return elements;
}

}  // namespace cuboid::detail
