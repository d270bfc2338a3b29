#pragma once

#include "devices/cuda/cuda_driver.hpp"

#include <array>
#include <cstddef>

namespace cuboid::detail {

/// Asks the driver for attributes of the memory at an address. A driver may want a current context
/// for some attributes; a thread without one gets the first device's for the question.
CuResult pointer_attributes(const CudaDriver& driver, unsigned count, int* which, void** values,
                            CuPointer address);

/// The same for a list of attributes.
template <std::size_t count>
CuResult pointer_attributes(const CudaDriver& driver, std::array<int, count> which,
                            std::array<void*, count> values, CuPointer address) {
  return pointer_attributes(driver, static_cast<unsigned>(count), which.data(), values.data(),
                            address);
}

}  // namespace cuboid::detail
