#include "mm/local/on_device.hpp"

#include "mm/local/device_gemm.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <complex>
#include <limits>

namespace cuboid::detail {

bool can_multiply_on_device(const LocalGemm& gemm) {
  DeviceGemm* const device = gemm.device_gemm();
  return device != nullptr && device->can_multiply();
}

std::optional<int> device_number(const LocalGemm& gemm) {
  if (!can_multiply_on_device(gemm)) return std::nullopt;
  return gemm.device_gemm()->device().number();
}

template <class T>
bool multiply_on_device(const LocalGemm& gemm, const GemmCall<T>& call, GemmProgress progress) {
  DeviceGemm* const device = gemm.device_gemm();
  return device != nullptr && device->multiply(call, progress);
}

template <MatrixElement T>
void scale_anywhere(const LocalGemm& gemm, T beta, LocalView<T> C) {
  if (C.rows == 0 || C.columns == 0) return;
  DeviceGemm* const device = gemm.device_gemm();
  if (device != nullptr && device->scale(C.rows, C.columns, beta, C.data, C.leading_dimension))
    return;
  scale(beta, C);
}

template <class T>
double device_seconds(const LocalGemm& gemm, std::int64_t m, std::int64_t n, std::int64_t k) {
  DeviceGemm* const device = gemm.device_gemm();
  return device == nullptr ? std::numeric_limits<double>::infinity()
                           : device->predicted_seconds<T>(m, n, k);
}

template <MatrixElement T>
DeviceResidentC<T>::DeviceResidentC(const LocalGemm& gemm, LocalView<T> C, std::int64_t k,
                                    std::int64_t width, T beta) {
  if (DeviceGemm* const device = gemm.device_gemm())
    sum_ =
        DeviceSum<T>::open(*device, C.data, C.leading_dimension, C.rows, C.columns, k, width, beta);
}

template <MatrixElement T>
DeviceResidentC<T>::~DeviceResidentC() = default;
template <MatrixElement T>
DeviceResidentC<T>::DeviceResidentC(DeviceResidentC&&) noexcept = default;

template <MatrixElement T>
void DeviceResidentC<T>::add(const GemmCall<T>& call, GemmProgress progress) {
  sum_->add(call, progress);
}

template <MatrixElement T>
void DeviceResidentC<T>::finish(GemmProgress progress) {
  if (sum_) sum_->finish(progress);
}

#define CUBOID_FOR(T)                                                                            \
  template bool multiply_on_device(const LocalGemm&, const GemmCall<T>&, GemmProgress);          \
  template void scale_anywhere(const LocalGemm&, T, LocalView<T>);                               \
  template double device_seconds<T>(const LocalGemm&, std::int64_t, std::int64_t, std::int64_t); \
  template class DeviceResidentC<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
