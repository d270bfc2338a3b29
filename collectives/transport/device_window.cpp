#include "collectives/transport/device_window.hpp"

#include <cuboid/error.hpp>

#include "devices/memory/reachable_memory.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace cuboid::detail {

namespace {

struct DeviceKey {
  ReachablePart part;
  bool for_processes = false;  ///< false: only threads of the owner's process can open it
};

/// Device memory of a peer that this process has opened. It is always mapped.
class ReachedDeviceMemory : public ReachedMemory {
 public:
  ReachedDeviceMemory(OpenedMemory::ReachedPart part, std::size_t bytes)
      : part_(std::move(part)), bytes_(bytes) {}

  std::span<std::byte> direct() const override { return {part_.data, bytes_}; }
  std::unique_ptr<RemoteRequest> put(std::span<const std::byte>, std::size_t) override { refuse(); }
  std::unique_ptr<RemoteRequest> get(std::span<std::byte>, std::size_t) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::internal, "a device's memory that is mapped was given to the network");
  }

  OpenedMemory::ReachedPart part_;
  std::size_t bytes_;
};

}  // namespace

ExposedDeviceMemory::ExposedDeviceMemory(const CudaDevice& device, std::size_t bytes) {
  const CudaDevice::Current current(device);
  memory_.emplace(device, bytes);
  if (bytes == 0) return;
  const CudaStream stream(device);
  stream.clear({memory_->data(), bytes, true}, bytes, 1);
  stream.wait();
}

std::vector<std::byte> ExposedDeviceMemory::key() const {
  if (memory_->bytes() == 0) return {};
  std::string reason;
  DeviceKey key;
  std::optional<ReachablePart> part =
      reachable_part(memory_->data(), memory_->bytes(), true, reason);
  key.for_processes = part.has_value();
  if (!part) part = reachable_part(memory_->data(), memory_->bytes(), false, reason);
  if (!part) return {};
  key.part = *part;
  std::vector<std::byte> bytes(sizeof key);
  std::memcpy(bytes.data(), &key, sizeof key);
  return bytes;
}

std::unique_ptr<ReachedMemory> reach_device_memory(const Transport& transport, int peer,
                                                   std::span<const std::byte> key,
                                                   const CudaDevice& device) {
  DeviceKey of_peer;
  if (key.size() != sizeof of_peer || !transport.same_node(peer)) return nullptr;
  std::memcpy(&of_peer, key.data(), sizeof of_peer);
  std::optional<std::int64_t> process;
  if (!transport.same_process(peer)) {
    if (!of_peer.for_processes) return nullptr;
    process = transport.process(peer);
  }
  std::string reason;
  auto part = OpenedMemory().reach(device, of_peer.part, process, reason);
  if (!part) return nullptr;
  return std::make_unique<ReachedDeviceMemory>(std::move(*part), of_peer.part.bytes);
}

}  // namespace cuboid::detail
