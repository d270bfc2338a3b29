#pragma once

#include "collectives/carrier/carrier.hpp"
#include "collectives/transport/transport.hpp"
#include "devices/cuda/cuda_device.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Zeroed memory of a device that peers can reach. Its key says how a peer on the same node opens
/// it; other peers have it served.
class ExposedDeviceMemory : public ExposedMemory {
 public:
  /// Throws Error(out_of_memory) or Error(io).
  ExposedDeviceMemory(const CudaDevice& device, std::size_t bytes);

  std::span<std::byte> bytes() const override { return {memory_->data(), memory_->bytes()}; }
  std::vector<std::byte> key() const override;

 private:
  std::optional<DeviceMemory> memory_;
};

/// Opens a peer's device memory by its key, for a device of this rank. nullptr if the device cannot
/// reach the memory.
std::unique_ptr<ReachedMemory> reach_device_memory(const Transport& transport, int peer,
                                                   std::span<const std::byte> key,
                                                   const CudaDevice& device);

}  // namespace cuboid::detail
