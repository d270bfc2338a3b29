#include "tools/measurement/bench_memory.hpp"

#include "tools/output/flag_values.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

std::string to_string(BenchMemory memory) {
  switch (memory) {
    case BenchMemory::host: return "host";
    case BenchMemory::device: return "device";
    case BenchMemory::root_on_device: return "D:H";
    case BenchMemory::root_on_host: return "H:D";
  }
  return "unknown";
}

std::string memory_text(BenchMemory memory) {
  return memory == BenchMemory::host ? "" : ", memory " + to_string(memory);
}

BenchMemory read_memory(const std::string& text, bool against_mpi) {
  for (const BenchMemory memory : {BenchMemory::host, BenchMemory::device,
                                   BenchMemory::root_on_device, BenchMemory::root_on_host}) {
    if (to_string(memory) != text) continue;
    if (memory != BenchMemory::host && against_mpi)
      refuse(
          fmt::format("--memory {} --against mpi: an MPI need not be able to read a device's "
                      "memory: give one of both",
                      text));
    return memory;
  }
  refuse(fmt::format("unknown --memory \"{}\": give one of host, device, D:H, H:D", text));
}

bool lies_on_device(BenchMemory memory, bool root) {
  switch (memory) {
    case BenchMemory::host: return false;
    case BenchMemory::device: return true;
    case BenchMemory::root_on_device: return root;
    case BenchMemory::root_on_host: return !root;
  }
  return false;
}

BenchBuffer::BenchBuffer(const CudaDevice& device, bool on_device, std::size_t bytes) {
  if (on_device) {
    there_.emplace(device, bytes);
  } else {
    pinned_.emplace(device, bytes);
  }
}

const CudaDevice& device_of(const Communicator& world) {
  const CudaDriver& driver = CudaDriver::at(world.environment().cuda.value_or(cuda_driver_file));
  return CudaDevice::at(driver, world.rank() % driver.devices());
}

}  // namespace cuboid::detail::tools
