#include "collectives/schedules/segmentation.hpp"

#include <algorithm>

namespace cuboid::detail {

Segmentation::Segmentation(const Slice& slice, const Pipelining& pipelining)
    : slice_bytes_(slice.bytes),
      segment_bytes_(std::min(pipelining.segment_bytes, std::max<std::size_t>(slice.bytes, 1))),
      segments_((slice.bytes + segment_bytes_ - 1) / segment_bytes_),
      window_(std::clamp<std::size_t>(segments_, 1,
                                      static_cast<std::size_t>(pipelining.segments_in_flight))),
      bundle_(static_cast<std::size_t>(pipelining.segments_per_bundle)) {}

std::size_t Segmentation::message_bytes(std::size_t segment, std::size_t bundle) const {
  const std::size_t first = segment / bundle * bundle * segment_bytes_;
  return std::min(bundle * segment_bytes_, slice_bytes_ - first);
}

std::optional<std::size_t> segment_in_turn(std::size_t turn, std::size_t turns,
                                           std::size_t segments) {
  const std::size_t segment = (turn * segments + turns - 1) / turns;
  if (segment >= segments || segment * turns / segments != turn) return std::nullopt;
  return segment;
}

}  // namespace cuboid::detail
