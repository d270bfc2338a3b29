#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>
#include <cuboid/window.hpp>

#include "collectives/communicator/memory_wait.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/redistribution/chunk_exchange.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The slots of a pair of ranks: one is filled while the other is emptied.
constexpr std::size_t slot_count = 2;
constexpr std::size_t cache_line = 64;

/// The number of chunks since the exchange was made. A rank writes it into the memory of another
/// rank. So every rank reads counts only in its own memory.
struct alignas(cache_line) Count {
  std::uint64_t chunks = 0;
};

/// The counts that one rank writes for another.
struct Notices {
  Count sent;
  Count taken;
};

/// One direction between two ranks: the messages that travel in it, and the counts at both ends.
struct Link {
  const PeerMessages* messages = nullptr;
  Count* told = nullptr;  ///< the peer's count, in this rank's memory
  Count* tell = nullptr;  ///< this rank's count, in the peer's memory
  std::byte* slots = nullptr;
  std::uint64_t* before = nullptr;  ///< number of chunks of earlier runs
  std::size_t next = 0;             ///< number of the next chunk of this run

  bool done() const { return next == messages->chunks.size(); }
  std::uint64_t chunks() const { return *before + next; }
  std::byte* slot(std::size_t bytes) const { return slots + chunks() % slot_count * bytes; }
  void advance() {
    ++next;
    std::atomic_ref(tell->chunks).store(chunks(), std::memory_order_release);
  }
  std::uint64_t count_told() const {
    return std::atomic_ref(told->chunks).load(std::memory_order_acquire);
  }
  /// True if the receiver has taken all chunks that were sent.
  bool all_taken() const { return done() && count_told() == chunks(); }
};

/// An exchange through shared memory. When a run ends, no other rank uses this rank's memory any
/// more: all chunks that it sent have been taken, and all counts for it have arrived. So the memory
/// may be freed without waiting for other ranks.
class SharedExchange : public ChunkExchange {
 public:
  SharedExchange(const Communicator& communicator, std::size_t slot_bytes)
      : ranks_(as_size(communicator.size())),
        window_(communicator, ranks_ * (sizeof(Notices) + slot_count * slot_bytes)),
        slot_bytes_(slot_bytes),
        sent_(ranks_),
        received_(ranks_),
        readable_(readable_everywhere(communicator)) {}
  ~SharedExchange() override {
    if (!failed_) window_.free_alone();
  }
  SharedExchange(const SharedExchange&) = delete;
  SharedExchange& operator=(const SharedExchange&) = delete;

  bool readable() const { return readable_; }

  ReadyPlan prepare(const Communicator&, ExchangePlan plan, std::size_t element_bytes) override {
    return {std::move(plan), element_bytes};
  }

  void run(const Communicator& communicator, const ReadyPlan& ready,
           const ChunkWork& work) override {
    if (std::exchange(failed_, true)) {
      throw Error(ErrorCode::peer_failed,
                  fmt::format("rank {}: redistribution: an earlier one on this communicator failed",
                              communicator.rank()));
    }
    std::vector<Link> outgoing = links_to(communicator, ready.plan);
    std::vector<Link> incoming = links_from(communicator, ready.plan);
    bool kept = false;
    MemoryWait wait(communicator, "redistribution");
    for (;;) {
      const bool sent = send(outgoing, work);
      if (!std::exchange(kept, true)) work.keep();
      if (receive(incoming, work) || sent) {
        wait.reset();
      } else if (std::ranges::all_of(incoming, &Link::done) &&
                 std::ranges::all_of(outgoing, &Link::all_taken)) {
        break;
      } else if (wait.pause()) {
        wait.look_after(waited_for(outgoing, incoming));
      }
    }
    for (auto* links : {&outgoing, &incoming}) {
      for (const Link& link : *links) *link.before += link.next;
    }
    failed_ = false;
  }

 private:
  std::byte* memory_of(const Communicator& communicator, int rank) const {
    return (rank == communicator.rank() ? window_.local() : window_.direct(rank)).data();
  }
  static Notices* notices_from(std::byte* memory, int peer) {
    return reinterpret_cast<Notices*>(memory) + peer;
  }
  std::byte* slots_for(std::byte* memory, int peer) const {
    return memory + ranks_ * sizeof(Notices) + as_size(peer) * slot_count * slot_bytes_;
  }

  std::vector<Link> links_to(const Communicator& communicator, const ExchangePlan& plan) {
    std::byte* const mine = window_.local().data();
    std::vector<Link> links;
    for (const PeerMessages& messages : plan.outgoing) {
      const int peer = messages.peer;
      Notices* const theirs = notices_from(memory_of(communicator, peer), communicator.rank());
      links.push_back({&messages, &notices_from(mine, peer)->taken, &theirs->sent,
                       slots_for(mine, peer), &sent_[as_size(peer)]});
    }
    return links;
  }
  std::vector<Link> links_from(const Communicator& communicator, const ExchangePlan& plan) {
    std::byte* const mine = window_.local().data();
    std::vector<Link> links;
    for (const PeerMessages& messages : plan.incoming) {
      const int peer = messages.peer;
      std::byte* const theirs = memory_of(communicator, peer);
      links.push_back({&messages, &notices_from(mine, peer)->sent,
                       &notices_from(theirs, communicator.rank())->taken,
                       slots_for(theirs, communicator.rank()), &received_[as_size(peer)]});
    }
    return links;
  }

  bool readable_everywhere(const Communicator& communicator) const {
    int readable = 1;
    for (int peer = 0; peer < communicator.size(); ++peer) {
      if (window_.direct(peer).empty()) readable = 0;
    }
    int everywhere = 0;
    allreduce(communicator, std::span<const int>(&readable, 1), std::span(&everywhere, 1),
              Reduction::Kind::minimum);
    return everywhere != 0;
  }

  /// Sends a chunk to every peer that has a free slot. Returns true if it sent any.
  bool send(std::vector<Link>& outgoing, const ChunkWork& work) const {
    bool moved = false;
    for (Link& link : outgoing) {
      if (link.done() || link.chunks() - link.count_told() == slot_count) continue;
      work.pack(*link.messages, link.messages->chunks[link.next], link.slot(slot_bytes_));
      link.advance();
      moved = true;
    }
    return moved;
  }

  bool receive(std::vector<Link>& incoming, const ChunkWork& work) const {
    bool moved = false;
    for (Link& link : incoming) {
      while (!link.done() && link.count_told() > link.chunks()) {
        work.unpack(*link.messages, link.messages->chunks[link.next], link.slot(slot_bytes_));
        link.advance();
        moved = true;
      }
    }
    return moved;
  }

  static std::vector<int> waited_for(const std::vector<Link>& outgoing,
                                     const std::vector<Link>& incoming) {
    std::set<int> peers;
    for (const Link& link : outgoing) {
      if (!link.all_taken()) peers.insert(link.messages->peer);
    }
    for (const Link& link : incoming) {
      if (!link.done()) peers.insert(link.messages->peer);
    }
    return {peers.begin(), peers.end()};
  }

  std::size_t ranks_;
  Window window_;
  std::size_t slot_bytes_;
  std::vector<std::uint64_t> sent_, received_;  // number of chunks, by peer
  bool readable_;
  bool failed_ = false;
};

}  // namespace

bool is_for_shared_memory(const Communicator& communicator, double bytes,
                          std::int64_t exchange_bytes) {
  constexpr std::int64_t long_enough = std::int64_t{2} << 20;
  return communicator.size() > 1 &&
         bytes >= static_cast<double>(std::min(long_enough, exchange_bytes)) &&
         on_one_node(communicator);
}

std::int64_t chunk_bytes_in_shared_memory(int ranks, std::int64_t exchange_bytes) {
  // All slots of a rank should stay in its cache.
  constexpr std::int64_t cache = std::int64_t{2} << 20, shortest = std::int64_t{64} << 10,
                         longest = std::int64_t{256} << 10;
  const std::int64_t pairs = static_cast<std::int64_t>(slot_count) * ranks;
  return std::min(std::clamp(cache / pairs, shortest, longest), exchange_bytes / pairs);
}

std::unique_ptr<ChunkExchange> exchange_in_shared_memory(const Communicator& communicator,
                                                         std::size_t chunk_bytes) {
  const std::size_t whole_lines = (chunk_bytes + cache_line - 1) / cache_line * cache_line;
  auto exchange = std::make_unique<SharedExchange>(communicator, whole_lines);
  if (!exchange->readable()) exchange = nullptr;
  return exchange;
}

}  // namespace cuboid::detail
