#pragma once

#include <cuboid/communicator.hpp>

#include "mm/redistribution/exchange_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace cuboid::detail {

/// What is done with the chunks of an exchange, and meanwhile.
struct ChunkWork {
  std::function<void(const PeerMessages&, const MessageChunk&, std::byte*)> pack;
  std::function<void(const PeerMessages&, const MessageChunk&, const std::byte*)> unpack;
  std::function<void()> keep;  ///< called once, while the first chunks are on their way
};

/// A plan for which a ChunkExchange has made room.
struct ReadyPlan {
  ExchangePlan plan;
  std::size_t element_bytes = 0;
  std::size_t steps = 0;  ///< all-to-all exchanges that all ranks make
};

/// The memory through which the ranks of a communicator exchange the chunks of any plans, one plan
/// at a time. It is freed without meeting the others.
class ChunkExchange {
 public:
  virtual ~ChunkExchange() = default;
  /// Makes room for the chunks of a plan. Collective. Throws Error(out_of_memory) on all ranks.
  virtual ReadyPlan prepare(const Communicator& communicator, ExchangePlan plan,
                            std::size_t element_bytes) = 0;
  /// Collective. Throws what communication throws.
  virtual void run(const Communicator& communicator, const ReadyPlan& ready,
                   const ChunkWork& work) = 0;
};

/// Whether an exchange should go through memory that the ranks share: all are on one node, and it
/// is long. The same on all ranks.
/// @param bytes  of the matrices, altogether.
bool is_for_shared_memory(const Communicator& communicator, double bytes,
                          std::int64_t exchange_bytes);

/// The longest chunks, in bytes, with which an exchange keeps to its working memory.
std::int64_t chunk_bytes_in_shared_memory(int ranks, std::int64_t exchange_bytes);
std::int64_t chunk_bytes_of_collectives(int ranks, std::int64_t exchange_bytes);

/// Through memory that the ranks share: the sender packs a chunk, the receiver unpacks it from
/// there. Collective. nullptr on all ranks where some cannot read it directly.
std::unique_ptr<ChunkExchange> exchange_in_shared_memory(const Communicator& communicator,
                                                         std::size_t chunk_bytes);

/// By all-to-all exchanges of a chunk per pair of ranks each, two of them under way.
std::unique_ptr<ChunkExchange> exchange_by_collectives();

}  // namespace cuboid::detail
