#include "devices/memory/host_bytes.hpp"

#include "devices/cuda/cuda_device.hpp"
#include "devices/memory/copy_memory.hpp"
#include "devices/memory/memory_space.hpp"

namespace cuboid::detail {

HostBytes::HostBytes(std::span<std::byte> buffer) : buffer_(buffer) {
  if (buffer.empty()) return;
  const MemorySpace space = memory_space_of(buffer.data());
  if (!space.on_host())
    block_.emplace(CudaDevice::at(*CudaDriver::loaded(), space.device), buffer.size());
}

std::span<std::byte> HostBytes::get() const {
  return is_copy() ? std::span(block_->data(), buffer_.size()) : buffer_;
}

void HostBytes::fetch() const {
  if (is_copy()) copy_memory(buffer_.data(), block_->data(), buffer_.size());
}

void HostBytes::give_back() const {
  if (is_copy()) copy_memory(block_->data(), buffer_.data(), buffer_.size());
}

}  // namespace cuboid::detail
