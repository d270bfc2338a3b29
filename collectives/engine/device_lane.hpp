#pragma once

#include <cuboid/on_stream.hpp>

#include "devices/cuda/cuda_device.hpp"

namespace cuboid::detail {

/// A stream of a device for one run's work, and the event that ends what was put into it.
struct DeviceLane {
  explicit DeviceLane(const CudaDevice& on) : device(on), stream(on), ended(on) {}

  /// Work that is put into the lane from now on begins after the work of the stream `after`, or of
  /// the default stream if none is given. The device must be current.
  void begin_after(OnStream after) const;
  /// Lets done() tell of the work that was put into the lane so far. The device must be current.
  void end_here() const { stream.record(ended); }
  /// True if the work before end_here() is done.
  bool done() const;
  /// Waits for all work of the lane. A device that fails does no more.
  void wait() const noexcept;

  const CudaDevice& device;
  CudaStream stream;
  CudaEvent ended;
};

}  // namespace cuboid::detail
