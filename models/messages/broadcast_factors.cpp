#include "models/messages/broadcast_factors.hpp"

#include <array>
#include <cmath>

namespace cuboid::detail {

namespace {

constexpr std::array kinds = {BroadcastKind::flat, BroadcastKind::chain, BroadcastKind::binary,
                              BroadcastKind::binomial, BroadcastKind::van_de_geijn};

}  // namespace

std::string_view to_string(BroadcastKind kind) {
  switch (kind) {
    case BroadcastKind::flat: return "flat";
    case BroadcastKind::chain: return "chain";
    case BroadcastKind::binary: return "binary";
    case BroadcastKind::binomial: return "binomial";
    case BroadcastKind::van_de_geijn: break;
  }
  return "van-de-geijn";
}

std::optional<BroadcastKind> find_broadcast_kind(std::string_view name) {
  for (const BroadcastKind kind : kinds)
    if (to_string(kind) == name) return kind;
  return std::nullopt;
}

std::span<const BroadcastKind> broadcast_kinds() {
  return kinds;
}

BroadcastFactors broadcast_factors(const BroadcastModel& model, double ranks) {
  if (ranks <= 1) return {};
  const auto pipelined = [&](double steps) {
    return BroadcastFactors{steps, steps / model.segments};
  };
  switch (model.kind) {
    case BroadcastKind::flat: return {ranks - 1, ranks - 1};
    case BroadcastKind::chain: return pipelined(ranks - 2 + model.segments);
    case BroadcastKind::binary: return pipelined(2 * (std::log2(ranks) + model.segments - 1));
    case BroadcastKind::binomial: return {std::log2(ranks), std::log2(ranks)};
    case BroadcastKind::van_de_geijn: break;
  }
  return {std::log2(ranks) + ranks - 1, 2 * (ranks - 1) / ranks};
}

}  // namespace cuboid::detail
