#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace cuboid::detail {

/// The broadcasts that Quintin et al. 2013, §IV-C names. The ranks are joined by equal links
/// without contention.
enum class BroadcastKind { flat, chain, binary, binomial, van_de_geijn };

/// "flat", "chain", "binary", "binomial" or "van-de-geijn".
std::string_view to_string(BroadcastKind kind);
std::optional<BroadcastKind> find_broadcast_kind(std::string_view name);
std::span<const BroadcastKind> broadcast_kinds();

/// A broadcast. Chains and binary trees pass the message on in `segments` equal segments.
struct BroadcastModel {
  BroadcastKind kind = BroadcastKind::binomial;
  double segments = 1;  ///< used by chain and binary only
};

/// T(m, p) = L(p)·α + m·W(p)·β (Quintin et al. 2013, eq 1), for real p ≥ 1, since p is often the
/// root of another number. L(1) = W(1) = 0.
///   flat          L = W = p − 1
///   chain         L = p − 2 + s, W = L/s
///   binary        L = 2·(log2 p + s − 1), W = L/s
///   binomial      L = W = log2 p
///   van de Geijn  L = log2 p + p − 1, W = 2(p − 1)/p
struct BroadcastFactors {
  double latency = 0;    ///< L
  double bandwidth = 0;  ///< W
};
BroadcastFactors broadcast_factors(const BroadcastModel& model, double ranks);

}  // namespace cuboid::detail
