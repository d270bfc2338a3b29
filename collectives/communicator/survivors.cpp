#include "collectives/communicator/survivors.hpp"

#include <cuboid/error.hpp>

#include "base/clock.hpp"
#include "collectives/transport/reclaim_buffers.hpp"
#include "collectives/transport/silent_ranks.hpp"
#include "collectives/transport/transport.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t bits_per_word = 64;

bool has(const std::uint64_t* words, int bit) {
  const auto place = static_cast<std::size_t>(bit);
  return (words[place / bits_per_word] >> (place % bits_per_word) & 1) != 0;
}

void add(std::uint64_t* words, int bit) {
  const auto place = static_cast<std::size_t>(bit);
  words[place / bits_per_word] |= std::uint64_t{1} << (place % bits_per_word);
}

/// A rank's message to the others in a round: whether it has settled, which ranks it considers
/// dead, and which context numbers are free.
class View {
 public:
  View(int ranks, const Words& free)
      : gone_words_((static_cast<std::size_t>(ranks) + bits_per_word - 1) / bits_per_word),
        words_(1 + gone_words_) {
    words_.insert(words_.end(), free.begin(), free.end());
  }

  void* data() { return words_.data(); }
  std::size_t bytes() const { return words_.size() * sizeof words_[0]; }

  bool settled() const { return words_[0] != 0; }
  void settle() { words_[0] = 1; }
  bool is_gone(int rank) const { return has(words_.data() + 1, rank); }
  void lose(int rank) { add(words_.data() + 1, rank); }
  bool same_gone(const View& other) const {
    return std::equal(words_.begin() + 1, words_.begin() + first_free(), other.words_.begin() + 1);
  }
  void lose_those_of(const View& other) {
    for (std::size_t word = 1; word <= gone_words_; ++word) words_[word] |= other.words_[word];
  }
  void keep_free_in(const View& other) {
    for (auto word = static_cast<std::size_t>(first_free()); word < words_.size(); ++word)
      words_[word] &= other.words_[word];
  }
  Words free() const { return {words_.begin() + first_free(), words_.end()}; }

 private:
  std::ptrdiff_t first_free() const { return static_cast<std::ptrdiff_t>(1 + gone_words_); }

  std::size_t gone_words_;
  Words words_;
};

class Agreement {
 public:
  Agreement(Engine& engine, Group& group)
      : engine_(engine),
        transport_(engine.transport()),
        group_(group),
        number_(group.next_agreement()),
        mine_(group.size(), engine.contexts()->free_mask()) {}

  Survivors run() {
    for (std::uint32_t round = 0; !everyone_settled_; ++round) exchange(round);
    Survivors survivors;
    for (int rank = 0; rank < group_.size(); ++rank) {
      if (!mine_.is_gone(rank)) survivors.ranks.push_back(rank);
    }
    survivors.context = ContextNumbers::lowest(mine_.free());
    return survivors;
  }

 private:
  // One message to another rank and one message from it.
  struct Peer {
    struct Half : PendingTransfer {
      bool complete = false;
    };
    int rank;
    View view;
    Half sending;
    Half receiving;
  };

  void exchange(std::uint32_t round) {
    if (!mine_.settled()) lose_the_failed();
    View outgoing = mine_;
    std::vector<Peer> peers;
    for (int rank = 0; rank < group_.size(); ++rank) {
      if (rank != group_.rank() && !mine_.is_gone(rank)) peers.push_back({rank, mine_, {}, {}});
    }
    for (Peer& peer : peers) {
      start(peer, round, outgoing);
    }
    wait(peers,
         [](const Peer& peer) { return peer.sending.pending() || peer.receiving.pending(); });
    std::vector<int> behind;
    for (const Peer& peer : peers) behind.push_back(group_.world_rank(peer.rank));
    wait(
        peers,
        [&](const Peer& peer) {
          return std::ranges::find(behind, group_.world_rank(peer.rank)) != behind.end();
        },
        [&] { transport_.messages().remove_served(behind); });
    take_in(peers);
  }

  void lose_the_failed() {
    for (int rank = 0; rank < group_.size(); ++rank) {
      if (transport_.peers().failure(group_.world_rank(rank))) mine_.lose(rank);
    }
  }

  void start(Peer& peer, std::uint32_t round, View& outgoing) {
    const int world = group_.world_rank(peer.rank);
    peer.sending.done = peer.receiving.done = [](PendingTransfer& transfer, TransferStatus status) {
      static_cast<Peer::Half&>(transfer).complete = status == TransferStatus::complete;
    };
    try {
      peer.receiving.complete = transport_.messages().receive(
          world, peer.view.data(), peer.view.bytes(), tag(round, world), peer.receiving);
      peer.sending.complete = transport_.messages().send(
          world, outgoing.data(), outgoing.bytes(), tag(round, transport_.rank()), peer.sending);
    } catch (const Error& error) {
      transport_.logger().debug(error.what());  // the peer has just gone
    }
  }

  Tag tag(std::uint32_t round, int sender) const {
    return {.context = group_.context(),
            .sequence = number_,
            .sender = static_cast<std::uint32_t>(sender),
            .channel = Tag::agreement_channel,
            .segment = round};
  }

  /// Waits until `waits_for` is false for every peer that has not failed. Calls `look` before it
  /// asks.
  template <class Awaited>
  void wait(
      std::vector<Peer>& peers, const Awaited& waits_for,
      const std::function<void()>& look = [] {}) {
    const auto timeout =
        std::chrono::duration_cast<Clock::duration>(transport_.environment().timeout);
    const auto until = Clock::now() + timeout;
    Backoff backoff(transport_.wait_policy());
    const auto awaited = [&](const Peer& peer) {
      const bool there = !transport_.peers().failure(group_.world_rank(peer.rank));
      return there && waits_for(peer);
    };
    while (look(), std::any_of(peers.begin(), peers.end(), awaited)) {
      if (engine_.progress()) {
        backoff.reset();
      } else {
        transport_.pause(backoff, until);
      }
      if (Clock::now() < until) continue;
      std::vector<std::string> missing;
      for (const Peer& peer : peers) {
        if (!awaited(peer)) continue;
        const int of_world = group_.world_rank(peer.rank);
        missing.push_back(
            fmt::format("{} on {}", group_.name(of_world), transport_.host(of_world)));
      }
      end(peers);
      throw Error(
          ErrorCode::timeout,
          fmt::format("{}: shrink: no message for {} s from {}{}; call shrink() on "
                      "every surviving rank, or set CUBOID_TIMEOUT to wait longer",
                      group_.name(transport_.rank()), transport_.environment().timeout.count(),
                      fmt::join(missing, ", "), silent_ranks(transport_, group_)));
    }
    end(peers);
  }

  /// Ends all transfers: afterwards none of them refers to this round's memory.
  void end(std::vector<Peer>& peers) {
    std::vector<PendingTransfer*> transfers;
    for (Peer& peer : peers) {
      if (peer.sending.pending()) transfers.push_back(&peer.sending);
      if (peer.receiving.pending()) transfers.push_back(&peer.receiving);
    }
    reclaim_buffers(transport_, transfers, "shrink");
  }

  void take_in(std::vector<Peer>& peers) {
    const bool was_settled = mine_.settled();
    bool all_alike = true;
    everyone_settled_ = was_settled;
    View next = mine_;
    for (const Peer& peer : peers) {
      if (!peer.receiving.complete) {
        all_alike = false;
        if (!was_settled) next.lose(peer.rank);
        continue;
      }
      everyone_settled_ = everyone_settled_ && peer.view.settled();
      if (was_settled) continue;
      if (peer.view.settled()) {
        mine_ = peer.view;
        return;
      }
      all_alike = all_alike && peer.view.same_gone(mine_);
      next.lose_those_of(peer.view);
      next.keep_free_in(peer.view);
    }
    if (was_settled) return;
    mine_ = next;
    if (all_alike) mine_.settle();
  }

  Engine& engine_;
  Transport& transport_;
  Group& group_;
  std::uint32_t number_;
  View mine_;
  bool everyone_settled_ = false;
};

}  // namespace

Survivors agree_on_survivors(Engine& engine, Group& group) {
  return Agreement(engine, group).run();
}

}  // namespace cuboid::detail
