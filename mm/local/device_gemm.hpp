#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/layout.hpp>

#include "devices/cuda/cublas_library.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "mm/local/blas_library.hpp"
#include "mm/local/on_device.hpp"
#include "mm/local/tile_schedule.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace cuboid::detail {

/// The number of this rank on its node. Ranks are spread over the devices; neighbours share a
/// device.
struct RankOnNode {
  int index = 0;
  int ranks = 1;
};

/// What a device needs to multiply: three streams that run at the same time, a cuBLAS handle and
/// memory. One thread at a time uses it, with the device current.
class DeviceWorker {
 public:
  DeviceWorker(const CudaDevice& on, const CublasLibrary& library);
  ~DeviceWorker();
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  /// Memory of at least so many bytes; what was in it is lost. Throws Error(out_of_memory).
  std::byte* memory(std::size_t bytes);
  /// The event with a number; each number from 0 on has its own.
  const CudaEvent& event(std::size_t number);

  const CudaDevice& device;
  const CublasLibrary& cublas;
  CudaStream up, compute, down;
  CublasHandle handle = nullptr;
  /// Recorded after the work that last used each half of the memory (see DeviceSum).
  std::array<CudaEvent, 2> half_done;

 private:
  std::unique_ptr<DeviceMemory> memory_;
  std::deque<CudaEvent> events_;
};

/// The multiplications that a rank gives to its device. The device is opened when a product is
/// large enough to be worth a context (a third of a second), or its operands lie on a device;
/// before, and where there is none, the cores multiply. May be called by several threads at a time.
class DeviceGemm {
 public:
  /// The object for these settings, made at the first call for them; it lives as long as the
  /// process. Opens the device if the process has loaded the driver already or CUBOID_DEVICE asks
  /// for one. Throws Error(unsupported) or Error(invalid_argument) if it asks for what is not
  /// there.
  static DeviceGemm& at(const Environment& environment, RankOnNode rank, const BlasLibrary& cores,
                        int threads);

  /// Multiplies if an operand lies on a device, or if the device is faster than the cores;
  /// otherwise returns false. All sizes must be > 0 and α ≠ 0. Returns when C is done.
  template <class T>
  bool multiply(const GemmCall<T>& call, GemmProgress progress = {});

  /// C ← β·C if C lies on a device; else returns false.
  template <class T>
  bool scale(std::int64_t m, std::int64_t n, T beta, T* C, std::int64_t ldc);

  /// Predicted seconds of a product of host matrices in pinned memory on the device, which is
  /// opened if `cores_seconds` make that worthwhile; infinite if there is no device, or none is
  /// used.
  template <class T>
  double predicted_seconds(std::int64_t m, std::int64_t n, std::int64_t k);
  /// Multiplications per second of the cores, measured at the first call.
  template <class T>
  double cores_rate();

  /// Text such as "device 0 (NVIDIA H200), shared by 4 ranks", or why there is no device, or that
  /// none is open yet.
  std::string description();

  DeviceGemm(const DeviceGemm&) = delete;
  DeviceGemm& operator=(const DeviceGemm&) = delete;

 private:
  template <class T>
  friend class DeviceSum;

  DeviceGemm(const Environment& environment, RankOnNode rank, const BlasLibrary& cores,
             int threads);

  /// The device, once it is open.
  struct Open;
  struct OfType {
    double cores = 0;                  ///< multiplications per second; 0: not measured
    double device_call = 0;            ///< seconds
    double device_multiplication = 0;  ///< likewise; 0: not measured
  };
  /// Holds a worker during its lifetime.
  class Lease {
   public:
    explicit Lease(DeviceGemm& gemm);
    ~Lease();
    DeviceWorker& operator*() const { return *worker_; }
    DeviceWorker* operator->() const { return worker_.get(); }

   private:
    DeviceGemm& gemm_;
    CudaDevice::Current current_;
    std::unique_ptr<DeviceWorker> worker_;
  };

  /// Opens the device at the first call; nullptr if there is none. Throws if one was asked for.
  Open* open();
  /// True if memory of `device` must be copied to this device.
  bool is_elsewhere(int device) const;
  bool is_worth_opening(double cores_seconds);
  template <class T>
  OfType& of_type();
  template <class T>
  DeviceRates rates();
  std::size_t memory_left() const;
  /// Says once why the cores multiply although a device is there.
  void warn_once(const std::string& why);

  /// The operands' memory spaces, and what follows from them.
  template <class T>
  struct PlacedOperands {
    TileProblem problem;
    bool on_device = false;  ///< at least one operand lies on a device
    bool pinned = true;      ///< operands on the host are pinned, or belong to Cuboid
    double pin_bytes = 0;    ///< bytes of the pages to pin if they are not
  };
  template <class T>
  PlacedOperands<T> placed(const GemmCall<T>& call) const;
  /// Multiplies by a plan, in a worker's memory.
  template <class T>
  void run(const GemmCall<T>& call, const PlacedOperands<T>& where, bool pin, const TilePlan& plan,
           GemmProgress progress);

  const Environment environment_;
  const RankOnNode rank_;
  const BlasLibrary& cores_;
  const int threads_;
  mutable std::mutex mutex_;
  std::unique_ptr<Open> open_;
  bool tried_ = false, warned_ = false;
  std::string reason_;           ///< why there is no device
  double seconds_on_cores_ = 0;  ///< of products for which a device was possible
  OfType s_, d_, c_, z_;
};

/// One product's C on the device, for as long as panels are added to it.
///
///   DeviceSum<double> sum(gemm, C, ldc, m, n, beta, width);
///   for (panels) sum.add(call, progress);
///   sum.finish(progress);
template <class T>
class DeviceSum {
 public:
  /// nullptr if the cores are faster, or if the device's memory does not hold C and two panels.
  static std::unique_ptr<DeviceSum> open(DeviceGemm& gemm, T* C, std::int64_t ldc, std::int64_t m,
                                         std::int64_t n, std::int64_t k, std::int64_t width,
                                         T beta);
  ~DeviceSum();

  /// Adds a product to a part of C. `call` names the part by its place in the host's C; its β is
  /// ignored, because open() has applied it. Returns when A and B have been read; the device may
  /// still multiply.
  void add(const GemmCall<T>& call, GemmProgress progress);
  /// Brings C back.
  void finish(GemmProgress progress);

 private:
  DeviceSum(DeviceGemm& gemm, T* C, std::int64_t ldc, std::int64_t m, std::int64_t n,
            std::int64_t width);
  void add_panel(const GemmCall<T>& call, GemmProgress progress);

  DeviceGemm& gemm_;
  DeviceGemm::Lease worker_;
  T* C_;
  std::int64_t ldc_, m_, n_, width_;
  std::int64_t half_;  ///< elements that a panel of A and one of B take
  T* on_device_;
  std::size_t adds_ = 0;
  bool finished_ = false;
};

}  // namespace cuboid::detail
