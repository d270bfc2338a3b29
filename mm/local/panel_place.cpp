#include "mm/local/panel_place.hpp"

#include "mm/local/device_gemm.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/matrix/local_copy.hpp"

namespace cuboid::detail {

PanelPlace PanelPlace::on_device_of(const LocalGemm& gemm) {
  PanelPlace place;
  place.device_ = gemm.device_gemm();
  return place;
}

template <MatrixElement T>
PanelMemory<T> PanelPlace::memory(std::int64_t elements, std::string_view purpose) const {
  if (!on_device() || elements == 0) return PanelMemory<T>(AlignedArray<T>(elements, purpose));
  const CudaDevice& device = device_->device();
  const CudaDevice::Current current(device);
  return PanelMemory<T>(
      std::make_unique<DeviceMemory>(device, checked_bytes(elements, sizeof(T), purpose)));
}

template <MatrixElement T>
void PanelPlace::add(T alpha, Op op, LocalView<const T> from, T beta, LocalView<T> to) const {
  if (!on_device()) return detail::add(alpha, op, from, beta, to);
  if (to.rows == 0 || to.columns == 0) return;
  if (device_->add(op, to.rows, to.columns, alpha, from.data, from.leading_dimension, beta, to.data,
                   to.leading_dimension))
    return;
  const HostBlock<T> source(
      {const_cast<T*>(from.data), from.rows, from.columns, from.leading_dimension});
  const HostBlock<T> target(to);
  source.fetch();
  if (beta != T(0)) target.fetch();
  detail::add<T>(alpha, op, source.get(), beta, target.get());
  target.give_back();
}

#define CUBOID_INSTANTIATE(T)                                                          \
  template PanelMemory<T> PanelPlace::memory<T>(std::int64_t, std::string_view) const; \
  template void PanelPlace::add<T>(T, Op, LocalView<const T>, T, LocalView<T>) const
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
