#pragma once

#include <cuboid/communicator.hpp>

#include "mm/redistribution/exchange_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace cuboid::detail {

/// The functions that pack and unpack the chunks of an exchange, and the work that is done during
/// the exchange.
struct ChunkWork {
  std::function<void(const PeerMessages&, const MessageChunk&, std::byte*)> pack;
  std::function<void(const PeerMessages&, const MessageChunk&, const std::byte*)> unpack;
  std::function<void()> keep;  ///< called once, while the first chunks travel
};

/// A plan for which a ChunkExchange has memory.
struct ReadyPlan {
  ExchangePlan plan;
  std::size_t element_bytes = 0;
  std::size_t steps = 0;  ///< number of all-to-all exchanges that all ranks make
};

/// The memory through which the ranks of a communicator exchange the chunks of any plans, one plan
/// at a time. It is freed without waiting for other ranks.
class ChunkExchange {
 public:
  virtual ~ChunkExchange() = default;
  /// Allocates memory for the chunks of a plan. Collective. Throws Error(out_of_memory) on all
  /// ranks.
  virtual ReadyPlan prepare(const Communicator& communicator, ExchangePlan plan,
                            std::size_t element_bytes) = 0;
  /// Collective. Throws what communication throws.
  virtual void run(const Communicator& communicator, const ReadyPlan& ready,
                   const ChunkWork& work) = 0;
};

/// True if an exchange should go through memory that the ranks share: if all ranks are on one node
/// and the exchange is long. The same on all ranks.
/// @param bytes  the bytes of all matrices together.
bool is_for_shared_memory(const Communicator& communicator, double bytes,
                          std::int64_t exchange_bytes);

/// The longest chunks, in bytes, with which an exchange stays within its working memory.
std::int64_t chunk_bytes_in_shared_memory(int ranks, std::int64_t exchange_bytes);
std::int64_t chunk_bytes_of_collectives(int ranks, std::int64_t exchange_bytes);

/// Makes an exchange through memory that the ranks share: the sender packs a chunk, and the
/// receiver unpacks it from there. Collective. nullptr on all ranks if some ranks cannot read the
/// memory directly.
std::unique_ptr<ChunkExchange> exchange_in_shared_memory(const Communicator& communicator,
                                                         std::size_t chunk_bytes);

/// Makes an exchange by all-to-all exchanges of a chunk per pair of ranks. Two of them are in
/// flight.
std::unique_ptr<ChunkExchange> exchange_by_collectives();

}  // namespace cuboid::detail
