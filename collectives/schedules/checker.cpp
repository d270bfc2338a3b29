#include "collectives/schedules/checker.hpp"

#include <cuboid/error.hpp>

#include "collectives/types/tag.hpp"
#include "topology/shape/distances.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

template <class... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw Error(ErrorCode::internal, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// By rank, whether it is part of the tree. Refuses what is not a tree.
std::vector<bool> members(const Forest& forest, std::size_t number) {
  const Tree& tree = forest.trees[number];
  const auto valid = [&](int rank) { return rank >= 0 && rank < forest.ranks; };
  if (!valid(tree.root)) refuse("tree {}: root {} is not a rank", number, tree.root);
  std::vector<bool> member(static_cast<std::size_t>(forest.ranks), false);
  member[static_cast<std::size_t>(tree.root)] = true;
  for (const auto& [parent, child] : tree.edges) {
    if (!valid(parent) || !valid(child))
      refuse("tree {}: edge {} - {} leaves the group", number, parent, child);
    if (!member[static_cast<std::size_t>(parent)]) {
      refuse("tree {}: {} is the parent of {} before the tree has reached it", number, parent,
             child);
    }
    if (member[static_cast<std::size_t>(child)])
      refuse("tree {}: reaches rank {} twice", number, child);
    member[static_cast<std::size_t>(child)] = true;
  }
  return member;
}

void check_ends(const Forest& forest, std::size_t number, const Block& block) {
  const Tree& tree = forest.trees[number];
  const std::vector<bool> member = members(forest, number);
  const auto everywhere = [&] {
    return std::find(member.begin(), member.end(), false) == member.end();
  };
  if (forest.flow == Flow::multicast) {
    if (block.before != tree.root)
      refuse("tree {}: its root {} does not have the block", number, tree.root);
    if (block.after ? !member[static_cast<std::size_t>(*block.after)] : !everywhere()) {
      refuse("tree {}: does not reach every rank that must have the block", number);
    }
    return;
  }
  if (block.before)
    refuse("tree {}: combines a block that only rank {} has", number, *block.before);
  if (!everywhere()) refuse("tree {}: a rank's contribution is missing", number);
  if (forest.flow == Flow::combine && block.after != tree.root) {
    refuse("tree {}: the result ends at rank {}, which is not the one to have it", number,
           tree.root);
  }
}

// The slices of each block's trees must fill it without gap or overlap.
void check_coverage(const Forest& forest, const Conditions& conditions) {
  std::vector<std::vector<Slice>> slices(conditions.blocks.size());
  for (std::size_t number = 0; number < forest.trees.size(); ++number) {
    const Tree& tree = forest.trees[number];
    if (tree.block < 0 || tree.block >= static_cast<int>(slices.size())) {
      refuse("tree {}: block {} does not exist", number, tree.block);
    }
    if (tree.slice.bytes > 0) slices[static_cast<std::size_t>(tree.block)].push_back(tree.slice);
  }
  for (std::size_t block = 0; block < slices.size(); ++block) {
    auto& parts = slices[block];
    std::sort(parts.begin(), parts.end(),
              [](const Slice& a, const Slice& b) { return a.offset < b.offset; });
    std::size_t covered = conditions.blocks[block].slice.offset;
    for (const Slice& part : parts) {
      if (part.offset != covered)
        refuse("block {}: bytes {} to {} are not carried once", block, covered, part.offset);
      covered = part.end();
    }
    if (covered != conditions.blocks[block].slice.end())
      refuse("block {}: carried only up to byte {}", block, covered);
  }
}

// Two trees on the same edge with the same channel could take each other's segments.
void check_channels(const Forest& forest) {
  std::set<std::tuple<int, int, std::uint32_t>> used;
  for (std::size_t number = 0; number < forest.trees.size(); ++number) {
    const Tree& tree = forest.trees[number];
    if (tree.channel >= Tag::agreement_channel)
      refuse("tree {}: channel {} does not fit a tag", number, tree.channel);
    for (const auto& [parent, child] : tree.edges) {
      if (!used.emplace(parent, child, tree.channel).second) {
        refuse("tree {}: another tree uses edge {} - {} on channel {} too", number, parent, child,
               tree.channel);
      }
    }
  }
}

// Exchanges must be between ranks of the group, and carry blocks that exist.
void check_names(const Rounds& rounds, std::size_t blocks) {
  for (std::size_t number = 0; number < rounds.rounds.size(); ++number) {
    for (const Exchange& exchange : rounds.rounds[number]) {
      for (const int rank : {exchange.sender, exchange.receiver}) {
        if (rank < 0 || rank >= rounds.ranks) refuse("round {}: {} is not a rank", number, rank);
      }
      for (const int block : exchange.blocks) {
        if (block < 0 || static_cast<std::size_t>(block) >= blocks)
          refuse("round {}: block {} does not exist", number, block);
      }
    }
  }
}

// What each rank holds of each block. If contributions are combined, a bit for each rank says
// whether its contribution is in the block. If every block has one origin, one bit says whether the
// block is there.
class Holdings {
 public:
  using Contributions = std::span<std::uint64_t>;

  explicit Holdings(const Conditions& conditions)
      : blocks_(conditions.blocks.size()),
        whole_(std::ranges::all_of(conditions.blocks,
                                   [](const Block& block) { return block.before.has_value(); })),
        words_(whole_ ? 1 : (static_cast<std::size_t>(conditions.ranks) + 63) / 64),
        bits_(static_cast<std::size_t>(conditions.ranks) * blocks_ * words_, 0) {
    for (int rank = 0; rank < conditions.ranks; ++rank) {
      for (std::size_t block = 0; block < blocks_; ++block) {
        const auto& before = conditions.blocks[block].before;
        if (before && *before != rank) continue;
        const std::size_t bit = whole_ ? 0 : static_cast<std::size_t>(rank);
        of(rank, block)[bit / 64] |= std::uint64_t{1} << bit % 64;
      }
    }
  }

  Contributions of(int rank, std::size_t block) {
    return std::span(bits_).subspan((static_cast<std::size_t>(rank) * blocks_ + block) * words_,
                                    words_);
  }

  int count(int rank, std::size_t block) {
    int contributions = 0;
    for (const std::uint64_t word : of(rank, block)) contributions += std::popcount(word);
    return contributions;
  }

 private:
  std::size_t blocks_;
  bool whole_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

void deliver(const Exchange& exchange, Holdings::Contributions sent, Holdings::Contributions held,
             std::size_t round) {
  if (std::ranges::none_of(sent, [](std::uint64_t word) { return word != 0; }))
    refuse("round {}: rank {} sends a block it does not have", round, exchange.sender);
  for (std::size_t word = 0; word < sent.size(); ++word) {
    if (!exchange.combine) held[word] = 0;
    if (const std::uint64_t twice = held[word] & sent[word]; twice != 0) {
      refuse("round {}: rank {} combines the contribution of rank {} twice", round,
             exchange.receiver, word * 64 + static_cast<std::size_t>(std::countr_zero(twice)));
    }
    held[word] |= sent[word];
  }
}

}  // namespace

void check(const Forest& forest, const Conditions& conditions) {
  if (forest.ranks != conditions.ranks)
    refuse("forest of {} ranks for {}", forest.ranks, conditions.ranks);
  check_coverage(forest, conditions);
  check_channels(forest);
  for (std::size_t number = 0; number < forest.trees.size(); ++number) {
    check_ends(forest, number,
               conditions.blocks[static_cast<std::size_t>(forest.trees[number].block)]);
  }
}

void check(const Rounds& rounds, const Conditions& conditions) {
  if (rounds.ranks != conditions.ranks)
    refuse("rounds of {} ranks for {}", rounds.ranks, conditions.ranks);
  check_names(rounds, conditions.blocks.size());
  Holdings holdings(conditions);
  for (std::size_t round = 0; round < rounds.rounds.size(); ++round) {
    Holdings sent = holdings;
    for (const Exchange& exchange : rounds.rounds[round]) {
      for (const int block : exchange.blocks) {
        const auto b = static_cast<std::size_t>(block);
        deliver(exchange, sent.of(exchange.sender, b), holdings.of(exchange.receiver, b), round);
      }
    }
  }
  for (int rank = 0; rank < conditions.ranks; ++rank) {
    for (std::size_t block = 0; block < conditions.blocks.size(); ++block) {
      const Block& wanted = conditions.blocks[block];
      if (wanted.after && *wanted.after != rank) continue;
      const int complete = wanted.before ? 1 : conditions.ranks;
      if (holdings.count(rank, block) != complete) {
        refuse("rank {} ends without the whole of block {}", rank, block);
      }
    }
  }
}

void check_barrier(const Rounds& rounds) {
  check_names(rounds, 0);
  const auto ranks = static_cast<std::size_t>(rounds.ranks);
  std::vector<std::vector<bool>> heard(ranks, std::vector<bool>(ranks, false));
  for (std::size_t rank = 0; rank < ranks; ++rank) heard[rank][rank] = true;
  for (const auto& round : rounds.rounds) {
    const auto before = heard;
    for (const Exchange& exchange : round) {
      auto& receiver = heard[static_cast<std::size_t>(exchange.receiver)];
      const auto& sender = before[static_cast<std::size_t>(exchange.sender)];
      for (std::size_t rank = 0; rank < ranks; ++rank)
        receiver[rank] = receiver[rank] || sender[rank];
    }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto missing = std::find(heard[rank].begin(), heard[rank].end(), false);
    if (missing != heard[rank].end()) {
      refuse("barrier: rank {} does not hear of rank {}", rank, missing - heard[rank].begin());
    }
  }
}

void check_alltoall(const Rounds& rounds, const Shape& distances) {
  const auto ranks = static_cast<std::size_t>(rounds.ranks);
  check_names(rounds, ranks);
  // By rank and block, the rank that the block came from; the block's number says where it goes.
  std::vector<std::vector<std::size_t>> origin(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) origin[rank].assign(ranks, rank);
  for (const auto& round : rounds.rounds) {
    const auto before = origin;
    for (const Exchange& exchange : round) {
      for (const int block : exchange.blocks) {
        const auto b = static_cast<std::size_t>(block);
        origin[static_cast<std::size_t>(exchange.receiver)][b] =
            before[static_cast<std::size_t>(exchange.sender)][b];
      }
    }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t block = 0; block < ranks; ++block) {
      const auto from = static_cast<NodeIndex>(origin[rank][block]);
      if (node_at(distances, from, static_cast<NodeIndex>(block)) != static_cast<NodeIndex>(rank))
        refuse("all-to-all: rank {} ends with block {} of rank {}", rank, block,
               origin[rank][block]);
    }
  }
}

void check_prefix(const Rounds& rounds, const Conditions& conditions, Prefix prefix) {
  check_names(rounds, conditions.blocks.size());
  // By rank and block, the consecutive ranks whose contributions it holds.
  struct Held {
    int first;
    int end;
  };
  std::vector<std::vector<Held>> held;
  for (int rank = 0; rank < rounds.ranks; ++rank)
    held.emplace_back(conditions.blocks.size(), Held{rank, rank + 1});
  for (std::size_t number = 0; number < rounds.rounds.size(); ++number) {
    const auto before = held;
    for (const Exchange& exchange : rounds.rounds[number]) {
      for (const int block : exchange.blocks) {
        const auto b = static_cast<std::size_t>(block);
        const Held& sent = before[static_cast<std::size_t>(exchange.sender)][b];
        Held& mine = held[static_cast<std::size_t>(exchange.receiver)][b];
        if (!exchange.combine) {
          mine = sent;
        } else if (exchange.sender < exchange.receiver && sent.end == mine.first) {
          mine.first = sent.first;
        } else {
          refuse("scan: round {}: what rank {} sends rank {} does not come before what that has",
                 number, exchange.sender, exchange.receiver);
        }
      }
    }
  }
  const int own = prefix == Prefix::inclusive ? 1 : 0;
  for (int rank = 1 - own; rank < rounds.ranks; ++rank) {
    for (const Held& block : held[static_cast<std::size_t>(rank)]) {
      if (block.first != 0 || block.end != rank + own)
        refuse("scan: rank {} ends with the contributions of ranks {} to {}", rank, block.first,
               block.end - 1);
    }
  }
}

std::vector<SharedEdge> shared_edges(const Forest& forest) {
  std::map<std::pair<int, int>, std::vector<std::size_t>> users;
  for (std::size_t number = 0; number < forest.trees.size(); ++number) {
    for (const auto& [parent, child] : forest.trees[number].edges) {
      if (forest.flow != Flow::combine) users[{parent, child}].push_back(number);
      if (forest.flow != Flow::multicast) users[{child, parent}].push_back(number);
    }
  }
  std::vector<SharedEdge> shared;
  for (auto& [edge, trees] : users) {
    if (trees.size() > 1) shared.push_back({edge.first, edge.second, std::move(trees)});
  }
  return shared;
}

}  // namespace cuboid::detail
