#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_gemm.hpp>

#include "base/clock.hpp"
#include "devices/cuda/cublas_library.hpp"
#include "devices/cuda/cuda_device.hpp"
#include "devices/cuda/cusolver_library.hpp"
#include "devices/memory/own_pages.hpp"
#include "mm/local/blas_library.hpp"
#include "mm/local/on_device.hpp"
#include "mm/local/tile_schedule.hpp"

#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace cuboid::detail {

/// The number of this rank among the ranks of its node. Ranks are spread over the devices;
/// neighbouring ranks share a device.
struct RankOnNode {
  int index = 0;
  int ranks = 1;
};

/// The resources of one multiplication on a device: three streams that run at the same time, a
/// cuBLAS handle and memory. One thread at a time uses a worker, while the device is current.
class DeviceWorker {
 public:
  DeviceWorker(const CudaDevice& on, const CublasLibrary& library, CublasFactors factors);
  ~DeviceWorker();
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  /// Memory of at least `bytes` bytes. Its earlier content is lost. Throws Error(out_of_memory).
  std::byte* memory(std::size_t bytes);
  /// Gives the memory back to the device after work that took so long that getting the memory
  /// again would cost it less than a hundredth of its time. Shorter work often follows at once, and
  /// keeps the memory.
  void give_back_memory_after(Clock::duration work);
  /// The event with a number. Each number from 0 on has an event of its own.
  const CudaEvent& event(std::size_t number);
  /// The worker's handle of cuSOLVER, whose work is queued in `compute`. It is made at the first
  /// call.
  CusolverHandle solver(const CusolverLibrary& library);
  /// Waits until all streams are idle. A device that is lost is idle.
  void wait_until_idle() const;

  const CudaDevice& device;
  const CublasLibrary& cublas;
  CudaStream up, compute, down;
  CublasHandle handle = nullptr;
  const CublasFactors factors;
  /// The event that is recorded after the work that last used each half of the memory (see
  /// DeviceSum).
  std::array<CudaEvent, 2> half_done;

 private:
  const CusolverLibrary* cusolver_ = nullptr;  ///< of solver_
  CusolverHandle solver_ = nullptr;
  std::unique_ptr<DeviceMemory> memory_;
  Clock::duration allocation_{};  ///< how long getting the memory took
  std::deque<CudaEvent> events_;
};

/// The range from a matrix's first element to its last.
template <class T>
MemoryRange range_of(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  const std::int64_t elements = rows == 0 || columns == 0 ? 0 : (columns - 1) * ld + rows;
  return {data, static_cast<std::size_t>(elements) * sizeof(T)};
}

/// Waits for an event. Messages progress in the meantime.
void wait(const CudaEvent& event, GemmProgress progress);

/// If something fails, waits until the streams are idle, so that nothing reads or writes the
/// caller's memory afterwards.
template <class Work>
void with_idle_streams_on_error(DeviceWorker& worker, const Work& work) {
  try {
    work();
  } catch (...) {
    worker.wait_until_idle();
    throw;
  }
}

/// The multiplications that a rank gives to its device. The device is opened when a product is
/// large enough to be worth a context (a third of a second), or when its operands lie on a device.
/// Before that, and if there is no device, the cores multiply. Several threads may call it at the
/// same time.
class DeviceGemm {
 public:
  /// The object for these settings. It is made at the first call for them and lives as long as the
  /// process. Opens the device if the process has loaded the driver already or CUBOID_DEVICE asks
  /// for a device. Throws Error(unsupported) or Error(invalid_argument) if CUBOID_DEVICE asks for a
  /// device that does not exist.
  static DeviceGemm& at(const Environment& environment, RankOnNode rank, const BlasLibrary& cores,
                        int threads, FactorPrecision factors = FactorPrecision::single);
  /// The object for the same settings and another precision.
  DeviceGemm& with_factors(FactorPrecision factors) const {
    return at(environment_, rank_, cores_, threads_, factors);
  }

  /// Multiplies and returns true if an operand lies on a device, or if the device is faster than
  /// the cores. Otherwise returns false, and the cores may read and write the operands: what the
  /// program has put into the default stream, which may use operands in managed memory, is done.
  /// All sizes must be > 0 and α ≠ 0. Returns when C is complete.
  template <class T>
  bool multiply(const GemmCall<T>& call, GemmProgress progress = {});

  /// True if there is a device, and what multiplies on it. Opens the device.
  bool can_multiply() { return open() != nullptr; }

  /// C ← β·C if C lies on a device; otherwise returns false.
  template <class T>
  bool scale(std::int64_t m, std::int64_t n, T beta, T* C, std::int64_t ldc);

  /// to ← α·op(from) + β·to, where β = 0 does not read `to`, if both lie in the device's memory;
  /// otherwise returns false. `to` has m×n elements, and they do not overlap `from`.
  template <class T>
  bool add(Op op, std::int64_t m, std::int64_t n, T alpha, const T* from, std::int64_t from_ld,
           T beta, T* to, std::int64_t to_ld);

  /// The device, if can_multiply().
  const CudaDevice& device() const;

  /// The predicted seconds of a product of host matrices in pinned memory on the device. Opens the
  /// device if the time of the cores makes that worthwhile. Infinite if there is no device or none
  /// is used.
  template <class T>
  double predicted_seconds(std::int64_t m, std::int64_t n, std::int64_t k);
  /// The multiplications per second of the cores. They are measured at the first call.
  template <class T>
  double cores_rate();

  /// Text such as "device 0 (NVIDIA H200), shared by 4 ranks"; or text that tells why there is no
  /// device, or that none is open yet.
  std::string description();

  DeviceGemm(const DeviceGemm&) = delete;
  DeviceGemm& operator=(const DeviceGemm&) = delete;

 private:
  template <class T>
  friend class DeviceSum;
  template <MatrixElement T>
  friend class ResidentMatrix;
  template <MatrixElement T>
  friend class DeviceFactorisation;

  DeviceGemm(const Environment& environment, RankOnNode rank, const BlasLibrary& cores, int threads,
             FactorPrecision factors);

  /// The device and what belongs to it, once it is open.
  struct Open;
  struct OfType {
    double cores = 0;                  ///< multiplications per second; 0: not measured
    double device_call = 0;            ///< seconds of a small multiplication
    double device_multiplication = 0;  ///< seconds per multiplication; 0: not measured
  };
  /// Holds a worker during its lifetime: for one product, or for one factorisation.
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
    Clock::time_point begin_ = Clock::now();
  };

  /// Opens the device at the first call. nullptr if there is no device. Throws if the user asked
  /// for one.
  Open* open();
  /// True if memory of `device` must be copied to this device.
  bool is_elsewhere(int device) const;
  /// Products with fewer multiplications are done by the cores before a launch returns.
  static constexpr double fewest_multiplications = 1 << 21;
  /// True if the device is open, or if the work that the cores have done so far, and this, would
  /// have been worth opening it.
  bool would_be_worth_opening(double cores_seconds);
  /// The same, and counts this work as work of the cores.
  bool is_worth_opening(double cores_seconds);
  template <class T>
  OfType& of_type();
  template <class T>
  DeviceRates rates();
  /// The bytes that this rank may use: what it is told, without what is reserved.
  std::size_t memory_left() const;
  /// cuSOLVER, if the device is open; nullptr if there is none, which is said once.
  const CusolverLibrary* cusolver();
  /// Warns once with the reason why the cores multiply although there is a device.
  void warn_once(const std::string& why);

  /// The memory in which the operands lie, and what follows from it.
  template <class T>
  struct PlacedOperands {
    TileProblem problem;
    bool on_device = false;           ///< at least one operand lies on a device
    std::optional<int> managed = {};  ///< the device of an operand in managed memory
    bool pinned = true;               ///< operands on the host are pinned, or belong to Cuboid
    double pin_bytes = 0;             ///< bytes of the pages to pin if they are not
  };
  template <class T>
  PlacedOperands<T> placed(const GemmCall<T>& call) const;
  template <class T>
  bool multiply_there(const GemmCall<T>& call, PlacedOperands<T> where, GemmProgress progress);
  /// Multiplies by a plan, in the memory of a worker.
  template <class T>
  void run(const GemmCall<T>& call, const PlacedOperands<T>& where, bool pin, const TilePlan& plan,
           GemmProgress progress);

  const Environment environment_;
  const RankOnNode rank_;
  const BlasLibrary& cores_;
  const int threads_;
  const FactorPrecision factors_;
  mutable std::mutex mutex_;
  std::unique_ptr<Open> open_;
  bool tried_ = false, warned_ = false;
  bool tried_cusolver_ = false;
  const CusolverLibrary* cusolver_ = nullptr;
  std::string reason_;                     ///< the reason why there is no device
  std::atomic<std::size_t> reserved_ = 0;  ///< bytes that hold matrices through many products
  double seconds_on_cores_ = 0;            ///< seconds of products for which a device was possible
  OfType s_, d_, c_, z_;
};

/// The C of one product, which stays on the device while panels are added to it.
///
///   DeviceSum<double> sum(gemm, C, ldc, m, n, beta, width);
///   for (panels) sum.add(call, progress);
///   sum.finish(progress);
template <class T>
class DeviceSum {
 public:
  /// Opens a sum. nullptr if the cores are faster, or if the device's memory cannot hold C and two
  /// panels.
  static std::unique_ptr<DeviceSum> open(DeviceGemm& gemm, T* C, std::int64_t ldc, std::int64_t m,
                                         std::int64_t n, std::int64_t k, std::int64_t width,
                                         T beta);
  ~DeviceSum();

  /// Adds a product to a part of C. `call` names the part by its address in the host's C. The β of
  /// `call` is ignored, because open() has applied β. Returns when A and B have been read; the
  /// device may still multiply.
  void add(const GemmCall<T>& call, GemmProgress progress);
  /// Copies C back to the host.
  void finish(GemmProgress progress);

 private:
  DeviceSum(DeviceGemm& gemm, T* C, std::int64_t ldc, std::int64_t m, std::int64_t n,
            std::int64_t width);
  void add_panel(const GemmCall<T>& call, GemmProgress progress);

  DeviceGemm& gemm_;
  DeviceGemm::Lease worker_;
  CopiedMemory copied_;
  T* C_;
  std::int64_t ldc_, m_, n_, width_;
  std::int64_t half_;  ///< elements of a panel of A and a panel of B together
  T* on_device_;
  std::size_t adds_ = 0;
  bool finished_ = false;
};

}  // namespace cuboid::detail
