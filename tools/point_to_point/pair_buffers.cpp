#include "tools/point_to_point/pair_buffers.hpp"

namespace cuboid::detail::tools {

PairBuffers::PairBuffers(const Communicator& world, BenchMemory memory, std::size_t bytes)
    : memory_(memory), bytes_(bytes) {
  if (memory == BenchMemory::host) {
    host_memory_.resize(2 * bytes);
    on_host_ = host_memory_;
    return;
  }
  const CudaDevice& device = device_of(world);
  const CudaDevice::Current current(device);
  device_memory_.emplace(device, true, 2 * bytes);
  on_device_ = {device_memory_->data(), 2 * bytes};
  if (memory == BenchMemory::device) return;
  pinned_memory_.emplace(device, false, 2 * bytes);
  on_host_ = {pinned_memory_->data(), 2 * bytes};
}

}  // namespace cuboid::detail::tools
