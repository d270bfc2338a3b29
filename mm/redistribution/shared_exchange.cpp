#include <cuboid/allreduce.hpp>
#include <cuboid/error.hpp>
#include <cuboid/window.hpp>

#include "mm/layout/as_size.hpp"
#include "mm/matrix/on_one_node.hpp"
#include "mm/redistribution/chunk_exchange.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::size_t slot_count =
    2;  // of a pair of ranks: one is filled while the other is emptied
constexpr std::size_t cache_line = 64;

/// A rank's notice to another in memory that both share.
struct alignas(cache_line) Line {
  std::uint64_t chunks = 0;  ///< published, or taken, since the exchange was made
  std::uint64_t begin = 0;   ///< where the slots begin, of published ones
};

/// One direction between two ranks.
struct Link {
  const PeerMessages* messages = nullptr;
  Line* published = nullptr;  ///< in the sender's memory
  Line* taken = nullptr;      ///< in the receiver's
  std::byte* slots = nullptr;
  std::uint64_t before = 0;  ///< chunks of earlier runs
  std::size_t next = 0;      ///< of this run

  bool done() const { return next == messages->chunks.size(); }
  std::byte* slot(std::size_t bytes) const { return slots + (before + next) % slot_count * bytes; }
};

std::uint64_t count_in(Line* line) {
  return std::atomic_ref(line->chunks).load(std::memory_order_acquire);
}
void set_count(Line* line, std::uint64_t chunks) {
  std::atomic_ref(line->chunks).store(chunks, std::memory_order_release);
}

/// Lets others run while nothing moves, and ends after the timeout.
class IdleWait {
 public:
  explicit IdleWait(const Communicator& communicator) : communicator_(communicator) {}

  void reset() { attempts_ = 0; }
  /// Returns whether there is time left.
  bool pause() {
    constexpr int yields = 1000, between_looks = 16;
    const int attempt = attempts_++;
    if (attempt == 0) since_ = Clock::now();
    // If ranks share cores, the rank waited for may need this rank's core.
    if (attempt % between_looks == between_looks - 1) communicator_.progress();
    if (attempt < yields) {
      std::this_thread::yield();
      return true;
    }
    communicator_.progress();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    return Clock::now() - since_ < communicator_.environment().timeout;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Communicator& communicator_;
  int attempts_ = 0;
  Clock::time_point since_;
};

class SharedExchange : public ChunkExchange {
 public:
  SharedExchange(const Communicator& communicator, const ExchangePlan& plan,
                 std::size_t chunk_bytes)
      : communicator_(communicator),
        window_(communicator, bytes_for(communicator, plan, chunk_bytes)),
        slot_bytes_(chunk_bytes) {
    std::byte* const mine = window_.local().data();
    std::size_t begin = lines(communicator) * sizeof(Line);
    for (const PeerMessages& messages : plan.outgoing) {
      published_by(mine, messages.peer)->begin = begin;
      begin += slot_count * slot_bytes_;
    }
    readable_ = readable_everywhere(plan);
    if (!readable_) return;
    window_.fence();
    const int rank = communicator.rank();
    for (const PeerMessages& messages : plan.outgoing) {
      std::byte* const theirs = window_.direct(messages.peer).data();
      Line* const published = published_by(mine, messages.peer);
      outgoing_.push_back({&messages, published, taken_by(theirs, rank), mine + published->begin});
    }
    for (const PeerMessages& messages : plan.incoming) {
      std::byte* const theirs = window_.direct(messages.peer).data();
      Line* const published = published_by(theirs, rank);
      incoming_.push_back(
          {&messages, published, taken_by(mine, messages.peer), theirs + published->begin});
    }
  }

  bool readable() const { return readable_; }

  void run(const ChunkWork& work) override {
    bool kept = false;
    IdleWait wait(communicator_);
    for (;;) {
      const bool sent = send(work);
      if (!std::exchange(kept, true)) work.keep();
      if (receive(work) || sent) {
        wait.reset();
      } else if (complete()) {
        break;
      } else if (!wait.pause()) {
        give_up();
      }
    }
    for (auto* links : {&outgoing_, &incoming_}) {
      for (Link& link : *links) {
        link.before += link.next;
        link.next = 0;
      }
    }
  }

 private:
  static std::size_t lines(const Communicator& communicator) {
    return 2 * as_size(communicator.size());
  }
  static std::size_t bytes_for(const Communicator& communicator, const ExchangePlan& plan,
                               std::size_t chunk_bytes) {
    return lines(communicator) * sizeof(Line) + plan.outgoing.size() * slot_count * chunk_bytes;
  }
  /// In a rank's memory: what it has published for a peer, what it has taken from one.
  static Line* published_by(std::byte* memory, int peer) {
    return reinterpret_cast<Line*>(memory) + 2 * peer;
  }
  static Line* taken_by(std::byte* memory, int peer) { return published_by(memory, peer) + 1; }

  bool readable_everywhere(const ExchangePlan& plan) const {
    int readable = 1;
    for (const auto* all : {&plan.outgoing, &plan.incoming}) {
      for (const PeerMessages& messages : *all)
        readable = readable != 0 && !window_.direct(messages.peer).empty() ? 1 : 0;
    }
    int everywhere = 0;
    allreduce(communicator_, std::span<const int>(&readable, 1), std::span(&everywhere, 1),
              Reduction::Kind::minimum);
    return everywhere != 0;
  }

  /// A chunk for every peer that has room for it.
  bool send(const ChunkWork& work) {
    bool moved = false;
    for (Link& link : outgoing_) {
      if (link.done() || link.before + link.next - count_in(link.taken) == slot_count) continue;
      work.pack(*link.messages, link.messages->chunks[link.next], link.slot(slot_bytes_));
      ++link.next;
      set_count(link.published, link.before + link.next);
      moved = true;
    }
    return moved;
  }

  bool receive(const ChunkWork& work) {
    bool moved = false;
    for (Link& link : incoming_) {
      while (!link.done() && count_in(link.published) > link.before + link.next) {
        work.unpack(*link.messages, link.messages->chunks[link.next], link.slot(slot_bytes_));
        ++link.next;
        set_count(link.taken, link.before + link.next);
        moved = true;
      }
    }
    return moved;
  }

  bool complete() const {
    return std::ranges::all_of(outgoing_, &Link::done) &&
           std::ranges::all_of(incoming_, &Link::done);
  }

  [[noreturn]] void give_up() const {
    const auto waiting = std::ranges::find_if_not(incoming_, &Link::done);
    const auto held_up = std::ranges::find_if_not(outgoing_, &Link::done);
    const int peer = waiting != incoming_.end() ? waiting->messages->peer : held_up->messages->peer;
    throw Error(ErrorCode::timeout,
                fmt::format("rank {}: redistribution: rank {} on {} has not moved for {} s "
                            "(CUBOID_TIMEOUT): see whether it is alive and redistributes, too",
                            communicator_.rank(), peer, communicator_.host(peer),
                            communicator_.environment().timeout.count()));
  }

  Communicator communicator_;
  Window window_;
  std::size_t slot_bytes_;
  bool readable_ = false;
  std::vector<Link> outgoing_, incoming_;
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
                                                         const ExchangePlan& plan,
                                                         std::size_t chunk_bytes) {
  const std::size_t whole_lines = (chunk_bytes + cache_line - 1) / cache_line * cache_line;
  auto exchange = std::make_unique<SharedExchange>(communicator, plan, whole_lines);
  if (!exchange->readable()) exchange = nullptr;
  return exchange;
}

}  // namespace cuboid::detail
