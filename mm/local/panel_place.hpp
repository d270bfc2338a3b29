#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include "devices/cuda/cuda_device.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace cuboid::detail {

/// The memory of a panel: uninitialised elements in the host's memory, or in a device's.
template <MatrixElement T>
class PanelMemory {
 public:
  PanelMemory() = default;
  explicit PanelMemory(AlignedArray<T> on_host) : on_host_(std::move(on_host)) {}
  explicit PanelMemory(std::unique_ptr<DeviceMemory> on_device)
      : on_device_(std::move(on_device)) {}

  T* data() const {
    return on_device_ ? reinterpret_cast<T*>(on_device_->data()) : on_host_.data();
  }

 private:
  AlignedArray<T> on_host_;
  std::unique_ptr<DeviceMemory> on_device_;
};

/// Where a rank keeps the panels of a multiplication: in the host's memory, or, if its parts of the
/// matrices lie on a device, in the memory of the device that multiplies them. Panels then travel
/// from device to device. A value.
class PanelPlace {
 public:
  /// The host's memory.
  PanelPlace() = default;
  /// The memory of the device of `gemm`, which must have one: see can_multiply_on_device().
  static PanelPlace on_device_of(const LocalGemm& gemm);

  bool on_device() const { return device_ != nullptr; }
  bool operator==(const PanelPlace&) const = default;

  /// Throws Error(out_of_memory).
  /// @param purpose  the purpose of the memory, for the error message: "a panel of SUMMA".
  template <MatrixElement T>
  PanelMemory<T> memory(std::int64_t elements, std::string_view purpose) const;

  /// to = α·op(from) + β·to, for blocks that do not overlap. `to` has the shape of op(from). β = 0
  /// does not read `to`. Blocks in other memory than this place are copied by way of the host.
  template <MatrixElement T>
  void add(T alpha, Op op, LocalView<const T> from, T beta, LocalView<T> to) const;
  /// to = op(from), for blocks that do not overlap.
  template <MatrixElement T>
  void copy(Op op, LocalView<const T> from, LocalView<T> to) const {
    add(T(1), op, from, T(0), to);
  }

 private:
  DeviceGemm* device_ = nullptr;
};

}  // namespace cuboid::detail
