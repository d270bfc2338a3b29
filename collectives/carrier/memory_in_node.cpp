#include "collectives/carrier/memory_in_node.hpp"

#include <cuboid/error.hpp>

#include "collectives/node/shared_segment.hpp"

#include <cstring>
#include <utility>

namespace cuboid::detail {

namespace {

class Segment final : public ExposedMemory {
 public:
  explicit Segment(std::size_t bytes) : segment_(bytes) {}
  std::span<std::byte> bytes() const override { return segment_.bytes(); }
  std::vector<std::byte> key() const override {
    const SharedSegment::SegmentAddress place = segment_.place();
    const auto bytes = std::as_bytes(std::span(&place, 1));
    return {bytes.begin(), bytes.end()};
  }

 private:
  SharedSegment segment_;
};

/// The memory of a rank that is alone on its node.
class OwnMemory final : public ExposedMemory {
 public:
  explicit OwnMemory(std::size_t bytes) : memory_(bytes) {}
  std::span<std::byte> bytes() const override { return memory_; }
  std::vector<std::byte> key() const override { return {}; }

 private:
  mutable std::vector<std::byte> memory_;
};

class MappedSegment final : public ReachedMemory {
 public:
  explicit MappedSegment(SharedSegment segment) : segment_(std::move(segment)) {}
  std::span<std::byte> direct() const override { return segment_.bytes(); }
  std::unique_ptr<RemoteRequest> put(std::span<const std::byte>, std::size_t) override {
    return nullptr;
  }
  std::unique_ptr<RemoteRequest> get(std::span<std::byte>, std::size_t) override { return nullptr; }

 private:
  SharedSegment segment_;
};

}  // namespace

std::unique_ptr<ExposedMemory> expose_in_node(std::size_t bytes, bool alone) {
  if (alone) return std::make_unique<OwnMemory>(bytes);
  return std::make_unique<Segment>(bytes);
}

bool is_key_in_node(std::span<const std::byte> key) {
  return key.size() == sizeof(SharedSegment::SegmentAddress);
}

std::unique_ptr<ReachedMemory> reach_in_node(std::span<const std::byte> key, std::size_t bytes) {
  SharedSegment::SegmentAddress place;
  if (bytes == 0 || !is_key_in_node(key)) return nullptr;
  std::memcpy(&place, key.data(), sizeof place);
  auto segment = SharedSegment::map(place, bytes);
  if (!segment) return nullptr;
  return std::make_unique<MappedSegment>(std::move(*segment));
}

}  // namespace cuboid::detail
