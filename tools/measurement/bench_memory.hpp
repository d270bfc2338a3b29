#pragma once

#include <cuboid/communicator.hpp>

#include "devices/cuda/cuda_device.hpp"
#include "devices/memory/pinned_block.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace cuboid::detail::tools {

/// The memory in which the buffers of the ranks lie.
enum class BenchMemory {
  host,
  device,
  root_on_device,  ///< on a device on the root (rank 0 without a root; between two ranks, the one
                   ///< that sends first), elsewhere the host's memory
  root_on_host,    ///< the other way round
};

/// "host", "device", "D:H" or "H:D".
std::string to_string(BenchMemory memory);
/// What a table's first line says of it: ", memory D:H", and nothing of the host's.
std::string memory_text(BenchMemory memory);

/// The value of --memory. Throws Error(invalid_argument) for other texts, and for devices' memory
/// that MPI should read.
BenchMemory read_memory(const std::string& text, bool against_mpi);

/// True if the buffers of the root, or of the others, lie on a device.
bool lies_on_device(BenchMemory memory, bool root);

/// A buffer of a call in which some buffers lie on devices: on a device, or in the host's memory,
/// which is pinned then, as programs that use devices have it. The device must be current.
class BenchBuffer {
 public:
  BenchBuffer(const CudaDevice& device, bool on_device, std::size_t bytes);
  std::byte* data() const { return there_ ? there_->data() : pinned_->data(); }

 private:
  std::optional<DeviceMemory> there_;
  std::optional<PinnedBlock> pinned_;
};

/// The device of this rank's buffers: the ranks spread over the devices that they see.
const CudaDevice& device_of(const Communicator& world);

}  // namespace cuboid::detail::tools
