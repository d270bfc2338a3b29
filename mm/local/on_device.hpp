#pragma once

#include <cuboid/local_gemm.hpp>
#include <cuboid/matrix.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

namespace cuboid::detail {

class DeviceGemm;
template <class T>
class DeviceSum;

/// True if this rank has a device that can multiply. Opens it.
bool can_multiply_on_device(const LocalGemm& gemm);

/// The number of that device; nullopt if there is none.
std::optional<int> device_number(const LocalGemm& gemm);

/// One local multiplication C ← α·op(A)·op(B) + β·C, column-major.
template <class T>
struct GemmCall {
  Op op_a = Op::none, op_b = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  T alpha = T(1);
  const T* A = nullptr;
  std::int64_t lda = 1;
  const T* B = nullptr;
  std::int64_t ldb = 1;
  T beta = T(0);
  T* C = nullptr;
  std::int64_t ldc = 1;

  /// The rows and columns of the stored matrices, not of op() of them.
  std::int64_t a_rows() const { return op_a == Op::none ? m : k; }
  std::int64_t a_columns() const { return op_a == Op::none ? k : m; }
  std::int64_t b_rows() const { return op_b == Op::none ? k : n; }
  std::int64_t b_columns() const { return op_b == Op::none ? n : k; }
  double multiplications() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// The function that a multiplication calls while it waits for a device. It is a view of a function
/// object, which must outlive it; it may be empty.
class GemmProgress {
 public:
  GemmProgress() = default;
  template <class Progress>
  explicit GemmProgress(const Progress& progress)
      : object_(&progress),
        call_([](const void* object) { (*static_cast<const Progress*>(object))(); }) {}

  explicit operator bool() const { return call_ != nullptr; }
  void operator()() const { call_(object_); }

 private:
  const void* object_ = nullptr;
  void (*call_)(const void*) = nullptr;
};

/// Multiplies on the device of `gemm` and returns true if an operand lies on a device, or if the
/// device is faster than the cores; otherwise returns false.
template <class T>
bool multiply_on_device(const LocalGemm& gemm, const GemmCall<T>& call, GemmProgress progress);

/// C ← β·C for a block of `gemm`'s product, on a device or on the host.
template <MatrixElement T>
void scale_anywhere(const LocalGemm& gemm, T beta, LocalView<T> C);

/// The predicted seconds of a product of host matrices on the device of `gemm`. Infinite if there
/// is no device, or if the cores would finish before a device is opened.
template <class T>
double device_seconds(const LocalGemm& gemm, std::int64_t m, std::int64_t n, std::int64_t k);

/// The C of a product that is summed panel by panel. C stays on a device from the first panel to
/// the last, if that is faster and the device's memory can hold C and two pairs of panels.
template <MatrixElement T>
class DeviceResidentC {
 public:
  /// @param k      the inner dimension of all panels together
  /// @param width  the width of the widest panel
  DeviceResidentC(const LocalGemm& gemm, LocalView<T> C, std::int64_t k, std::int64_t width,
                  T beta);
  ~DeviceResidentC();
  DeviceResidentC(DeviceResidentC&&) noexcept;
  DeviceResidentC& operator=(DeviceResidentC&&) = delete;

  /// True if C is on a device: the host must not use it until finish().
  bool on_device() const { return sum_ != nullptr; }
  /// Adds a product to the part of C that `call` names by its address in the host's memory. The β
  /// of `call` is ignored. Returns when A and B have been read.
  void add(const GemmCall<T>& call, GemmProgress progress);
  /// Brings C back to the host.
  void finish(GemmProgress progress);

 private:
  std::unique_ptr<DeviceSum<T>> sum_;
};

}  // namespace cuboid::detail
