#include <cuboid/allreduce.hpp>
#include <cuboid/alltoall.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/layout/as_size.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/redistribution/chunk_exchange.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

/// Elements of the longest step that there may be.
std::int64_t most_elements(const std::vector<PeerMessages>& messages) {
  std::int64_t elements = 0;
  for (const PeerMessages& message : messages)
    elements += std::ranges::max(message.chunks, {}, &Chunk::elements).elements;
  return elements;
}

class CollectiveExchange : public ChunkExchange {
 public:
  CollectiveExchange(const Communicator& communicator, const ExchangePlan& plan,
                     std::size_t element_bytes)
      : communicator_(communicator), plan_(plan), element_bytes_(element_bytes) {
    std::size_t steps = 0;
    for (const auto* messages : {&plan.outgoing, &plan.incoming}) {
      for (const PeerMessages& message : *messages) steps = std::max(steps, message.chunks.size());
    }
    allreduce(communicator, std::span<const std::size_t>(&steps, 1), std::span(&steps_, 1),
              Reduction::Kind::maximum);
    collective_try(communicator, [&] {
      for (std::size_t step = 0; step < std::min(steps_, slots_.size()); ++step) make(slots_[step]);
    });
  }

  void run(const ChunkWork& work) override {
    bool kept = false;
    for (std::size_t step = 0; step < steps_; ++step) {
      if (step >= slots_.size()) finish(step - slots_.size(), work);
      start(step, work);
      if (!std::exchange(kept, true)) work.keep();
    }
    if (!kept) work.keep();
    const std::size_t under_way = std::min(steps_, slots_.size());
    for (std::size_t step = steps_ - under_way; step < steps_; ++step) finish(step, work);
  }

 private:
  /// Messages of a step and the request under way.
  struct Slot {
    AlignedArray<std::byte> sent, received;
    std::vector<std::size_t> sent_counts, received_counts;  // bytes, by rank
    Request request;                                        // ends before the memory
  };

  void make(Slot& slot) const {
    const auto bytes = [&](const std::vector<PeerMessages>& messages) {
      return most_elements(messages) * static_cast<std::int64_t>(element_bytes_);
    };
    const std::string_view purpose = "the messages of a redistribution";
    slot.sent = AlignedArray<std::byte>(bytes(plan_.outgoing), purpose);
    slot.received = AlignedArray<std::byte>(bytes(plan_.incoming), purpose);
    slot.sent_counts.resize(as_size(communicator_.size()));
    slot.received_counts.resize(as_size(communicator_.size()));
  }

  /// Calls visit(message, chunk, where it lies) for the chunks of a step, as all-to-all has them:
  /// by rank. Returns the bytes of all, and fills in those by rank.
  template <class Visit>
  std::size_t for_each_chunk(const std::vector<PeerMessages>& messages, std::size_t step,
                             std::byte* memory, std::vector<std::size_t>& counts,
                             const Visit& visit) const {
    std::ranges::fill(counts, std::size_t{0});
    for (const PeerMessages& message : messages) {
      if (step < message.chunks.size()) {
        counts[as_size(message.peer)] =
            static_cast<std::size_t>(message.chunks[step].elements) * element_bytes_;
      }
    }
    std::vector<const PeerMessages*> by_rank;
    for (const PeerMessages& message : messages) {
      if (step < message.chunks.size()) by_rank.push_back(&message);
    }
    std::ranges::sort(by_rank, {}, [](const PeerMessages* message) { return message->peer; });
    std::size_t offset = 0;
    for (const PeerMessages* message : by_rank) {
      visit(*message, message->chunks[step], memory + offset);
      offset += counts[as_size(message->peer)];
    }
    return offset;
  }

  void start(std::size_t step, const ChunkWork& work) {
    Slot& slot = slots_[step % slots_.size()];
    const std::size_t sent =
        for_each_chunk(plan_.outgoing, step, slot.sent.data(), slot.sent_counts, work.pack);
    const std::size_t received =
        for_each_chunk(plan_.incoming, step, slot.received.data(), slot.received_counts,
                       [](const PeerMessages&, const Chunk&, std::byte*) {});
    slot.request = start_alltoallv(
        communicator_, std::span<const std::byte>(slot.sent.data(), sent), {slot.sent_counts},
        std::span<std::byte>(slot.received.data(), received), {slot.received_counts});
  }

  void finish(std::size_t step, const ChunkWork& work) {
    Slot& slot = slots_[step % slots_.size()];
    slot.request.wait();
    for_each_chunk(plan_.incoming, step, slot.received.data(), slot.received_counts, work.unpack);
  }

  Communicator communicator_;
  const ExchangePlan& plan_;
  std::size_t element_bytes_;
  std::size_t steps_ = 0;
  std::array<Slot, 2> slots_;
};

}  // namespace

std::int64_t chunk_bytes_of_collectives(int ranks, std::int64_t exchange_bytes) {
  constexpr std::int64_t buffers = 4;  // sent and received in two steps
  return exchange_bytes / (buffers * ranks);
}

std::unique_ptr<ChunkExchange> exchange_by_collectives(const Communicator& communicator,
                                                       const ExchangePlan& plan,
                                                       std::size_t element_bytes) {
  return std::make_unique<CollectiveExchange>(communicator, plan, element_bytes);
}

}  // namespace cuboid::detail
