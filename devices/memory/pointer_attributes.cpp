#include "devices/memory/pointer_attributes.hpp"

#include "devices/cuda/cuda_device.hpp"

namespace cuboid::detail {

CuResult pointer_attributes(const CudaDriver& driver, unsigned count, int* which, void** values,
                            CuPointer address) {
  constexpr CuResult invalid_context = 201;
  const CuResult result = driver.call().pointer_attributes(count, which, values, address);
  if (result != invalid_context) return result;
  const CudaDevice::Current current(CudaDevice::at(driver, 0));
  return driver.call().pointer_attributes(count, which, values, address);
}

}  // namespace cuboid::detail
