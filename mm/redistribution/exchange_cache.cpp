#include "mm/redistribution/exchange_cache.hpp"

#include "base/recent_cache.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <algorithm>
#include <complex>
#include <utility>
#include <variant>

namespace cuboid::detail {

namespace {

/// The memory of a communicator's exchanges. It is made when it is first needed.
struct Memory {
  std::shared_ptr<ChunkExchange> shared;
  bool cannot_be_shared = false;
  std::shared_ptr<ChunkExchange> messages;
};

struct ExchangeCache {
  RecentCache<ToRedistribute, std::shared_ptr<const PlannedExchange>> plans{16};
  Memory memory;
};

double bytes_of(const ToRedistribute& wanted) {
  double elements = 0;
  for (const RedistributedLayouts& one : wanted.several) {
    elements += std::visit(
        [](const auto& layout) {
          return static_cast<double>(layout.m()) * static_cast<double>(layout.n());
        },
        one.source);
  }
  return elements * static_cast<double>(wanted.element_bytes);
}

ExchangePlan plan_of(const ToRedistribute& wanted, const Communicator& communicator,
                     std::int64_t chunk_bytes) {
  std::vector<MatrixTransfer> transfers;
  for (const auto& [source, op, destination] : wanted.several)
    transfers.push_back({Ownership(source, op), Ownership(destination, Op::none)});
  const auto element_bytes = static_cast<std::int64_t>(wanted.element_bytes);
  return {transfers, communicator.rank(), communicator.size(),
          std::max<std::int64_t>(chunk_bytes / element_bytes, 1)};
}

bool all_stay(const ToRedistribute& wanted) {
  return std::ranges::all_of(wanted.several, [](const RedistributedLayouts& one) {
    return one.op == Op::none && one.source == one.destination;
  });
}

PlannedExchange make(const Communicator& communicator, const ToRedistribute& wanted,
                     Memory& memory) {
  const int ranks = communicator.size();
  const std::int64_t shared_bytes = chunk_bytes_in_shared_memory(ranks, wanted.exchange_bytes);
  const std::int64_t message_bytes = chunk_bytes_of_collectives(ranks, wanted.exchange_bytes);
  if (all_stay(wanted)) {
    return {wanted, {plan_of(wanted, communicator, message_bytes), wanted.element_bytes}, nullptr};
  }
  if (!memory.cannot_be_shared &&
      is_for_shared_memory(communicator, bytes_of(wanted), wanted.exchange_bytes)) {
    // A single element may be longer than the longest chunk.
    const auto slot_bytes = std::max<std::int64_t>(
        shared_bytes, static_cast<std::int64_t>(sizeof(std::complex<double>)));
    if (!memory.shared) {
      memory.shared = exchange_in_shared_memory(communicator, static_cast<std::size_t>(slot_bytes));
    }
    memory.cannot_be_shared = !memory.shared;
    if (memory.shared) {
      return {wanted,
              memory.shared->prepare(communicator, plan_of(wanted, communicator, slot_bytes),
                                     wanted.element_bytes),
              memory.shared};
    }
  }
  if (!memory.messages) memory.messages = exchange_by_collectives();
  return {wanted,
          memory.messages->prepare(communicator, plan_of(wanted, communicator, message_bytes),
                                   wanted.element_bytes),
          memory.messages};
}

}  // namespace

std::shared_ptr<const PlannedExchange> cached_exchange(const Communicator& communicator,
                                                       const ToRedistribute& wanted) {
  if (wanted.exchange_bytes != default_exchange_bytes) {
    Memory own;
    return std::make_shared<const PlannedExchange>(make(communicator, wanted, own));
  }
  auto& [plans, memory] = communicator.state().attributes.get<ExchangeCache>();
  return plans.get(wanted, [&] {
    return std::make_shared<const PlannedExchange>(make(communicator, wanted, memory));
  });
}

}  // namespace cuboid::detail
