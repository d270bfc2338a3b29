#include "devices/memory/copy_memory.hpp"

#include "base/copy_bytes.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/memory/memory_space.hpp"

namespace cuboid::detail {

void copy_memory(const void* from, std::size_t from_pitch, void* to, std::size_t to_pitch,
                 std::size_t width, std::size_t height) {
  if (width == 0 || height == 0) return;
  const MemorySpace source = memory_space_of(from), target = memory_space_of(to);
  if (source.on_host() && target.on_host()) {
    for (std::size_t line = 0; line < height; ++line)
      copy_bytes(static_cast<std::byte*>(to) + line * to_pitch,
                 static_cast<const std::byte*>(from) + line * from_pitch, width);
    return;
  }
  const CudaDevice& device =
      CudaDevice::at(*CudaDriver::loaded(), source.on_host() ? target.device : source.device);
  const CudaDevice::Current current(device);
  const CudaStream stream(device);
  stream.wait_for_default_stream();
  stream.copy({const_cast<void*>(from), from_pitch, !source.on_host()},
              {to, to_pitch, !target.on_host()}, width, height);
  stream.wait();
}

}  // namespace cuboid::detail
