#include <cuboid/collectives.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/ranks.hpp"
#include "mm/redistribution/chunk_exchange.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// The number of elements of a step in which every message has its longest chunk.
std::int64_t most_elements(const std::vector<PeerMessages>& messages) {
  std::int64_t elements = 0;
  for (const PeerMessages& message : messages)
    elements += std::ranges::max(message.chunks, {}, &MessageChunk::elements).elements;
  return elements;
}

class CollectiveExchange : public ChunkExchange {
 public:
  ReadyPlan prepare(const Communicator& communicator, ExchangePlan plan,
                    std::size_t element_bytes) override {
    std::size_t steps = 0;
    for (const auto* messages : {&plan.outgoing, &plan.incoming}) {
      for (const PeerMessages& message : *messages) steps = std::max(steps, message.chunks.size());
    }
    ReadyPlan ready{std::move(plan), element_bytes};
    allreduce(communicator, std::span<const std::size_t>(&steps, 1), std::span(&ready.steps, 1),
              Reduction::Kind::maximum);
    collective_try(communicator, [&] {
      for (std::size_t step = 0; step < std::min(ready.steps, slots_.size()); ++step) {
        Slot& slot = slots_[step];
        slot.sent.reserve(bytes_of(ready.plan.outgoing, element_bytes));
        slot.received.reserve(bytes_of(ready.plan.incoming, element_bytes));
        slot.sent_counts.resize(as_size(communicator.size()));
        slot.received_counts.resize(as_size(communicator.size()));
      }
    });
    return ready;
  }

  void run(const Communicator& communicator, const ReadyPlan& ready,
           const ChunkWork& work) override {
    const std::size_t steps = ready.steps;
    bool kept = false;
    for (std::size_t step = 0; step < steps; ++step) {
      if (step >= slots_.size()) finish(step - slots_.size(), ready, work);
      start(step, communicator, ready, work);
      if (!std::exchange(kept, true)) work.keep();
    }
    if (!kept) work.keep();
    const std::size_t under_way = std::min(steps, slots_.size());
    for (std::size_t step = steps - under_way; step < steps; ++step) finish(step, ready, work);
  }

 private:
  /// Memory that grows to the size of the largest plan.
  class Messages {
   public:
    void reserve(std::int64_t bytes) {
      if (bytes <= bytes_) return;
      memory_ = AlignedArray<std::byte>(bytes, "the messages of a redistribution");
      bytes_ = bytes;
    }
    std::byte* data() const { return memory_.data(); }

   private:
    AlignedArray<std::byte> memory_;
    std::int64_t bytes_ = 0;
  };

  /// The messages of a step, and the request in flight.
  struct Slot {
    Messages sent, received;
    std::vector<std::size_t> sent_counts, received_counts;  // bytes, by rank
    Request request;                                        // ends before the memory
  };

  static std::int64_t bytes_of(const std::vector<PeerMessages>& messages,
                               std::size_t element_bytes) {
    return most_elements(messages) * static_cast<std::int64_t>(element_bytes);
  }

  /// Calls visit(message, chunk, memory of the chunk) for the chunks of a step in the order of
  /// all-to-all: by rank. Returns the bytes of all chunks, and writes the bytes for each rank to
  /// `counts`.
  template <class Visit>
  static std::size_t for_each_chunk(const std::vector<PeerMessages>& messages, std::size_t step,
                                    std::size_t element_bytes, std::byte* memory,
                                    std::vector<std::size_t>& counts, const Visit& visit) {
    std::ranges::fill(counts, std::size_t{0});
    std::vector<const PeerMessages*> by_rank;
    for (const PeerMessages& message : messages) {
      if (step >= message.chunks.size()) continue;
      counts[as_size(message.peer)] =
          static_cast<std::size_t>(message.chunks[step].elements) * element_bytes;
      by_rank.push_back(&message);
    }
    std::ranges::sort(by_rank, {}, [](const PeerMessages* message) { return message->peer; });
    std::size_t offset = 0;
    for (const PeerMessages* message : by_rank) {
      visit(*message, message->chunks[step], memory + offset);
      offset += counts[as_size(message->peer)];
    }
    return offset;
  }

  void start(std::size_t step, const Communicator& communicator, const ReadyPlan& ready,
             const ChunkWork& work) {
    Slot& slot = slots_[step % slots_.size()];
    const std::size_t sent = for_each_chunk(ready.plan.outgoing, step, ready.element_bytes,
                                            slot.sent.data(), slot.sent_counts, work.pack);
    const std::size_t received = for_each_chunk(
        ready.plan.incoming, step, ready.element_bytes, slot.received.data(), slot.received_counts,
        [](const PeerMessages&, const MessageChunk&, std::byte*) {});
    slot.request = start_alltoallv(
        communicator, std::span<const std::byte>(slot.sent.data(), sent), {slot.sent_counts},
        std::span<std::byte>(slot.received.data(), received), {slot.received_counts});
  }

  void finish(std::size_t step, const ReadyPlan& ready, const ChunkWork& work) {
    Slot& slot = slots_[step % slots_.size()];
    std::exchange(slot.request, Request()).wait();
    for_each_chunk(ready.plan.incoming, step, ready.element_bytes, slot.received.data(),
                   slot.received_counts, work.unpack);
  }

  std::array<Slot, 2> slots_;
};

}  // namespace

std::int64_t chunk_bytes_of_collectives(int ranks, std::int64_t exchange_bytes) {
  constexpr std::int64_t buffers = 4;  // the sent and the received messages of two steps
  return exchange_bytes / (buffers * ranks);
}

std::unique_ptr<ChunkExchange> exchange_by_collectives() {
  return std::make_unique<CollectiveExchange>();
}

}  // namespace cuboid::detail
