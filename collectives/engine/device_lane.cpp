#include "collectives/engine/device_lane.hpp"

namespace cuboid::detail {

void DeviceLane::begin_after(OnStream after) const {
  if (!after.given()) return stream.wait_for_default_stream();
  const CudaEvent before(device);
  device.check(device.call().record(before.get(), static_cast<CuStream>(after.stream())),
               "cuEventRecord");
  stream.wait_for(before);
}

bool DeviceLane::done() const {
  const CudaDevice::Current current(device);
  return ended.done();
}

void DeviceLane::wait() const noexcept {
  device.release([this] { device.call().wait_stream(stream.get()); });
}

}  // namespace cuboid::detail
