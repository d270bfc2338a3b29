#pragma once

#include <cuboid/environment.hpp>

#include "devices/cuda/cuda_driver.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// A rectangle in memory: `height` lines of `width` bytes, `pitch` bytes from one to the next. A
/// column-major matrix's lines are its columns.
struct MemoryLines {
  void* data = nullptr;
  std::size_t pitch = 0;
  bool on_device = false;
};

/// One CUDA device and its primary context, which the process shares with other users of the device
/// (CUDA's runtime, CuPy) and keeps until its end. Its functions, and those of its objects, may be
/// called by any thread; they throw Error(out_of_memory) or Error(io) naming the device and the
/// call.
class CudaDevice {
 public:
  /// Throws Error(invalid_argument) if there is no such device.
  static const CudaDevice& at(const CudaDriver& driver, int number);

  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  int number() const { return number_; }
  /// E.g. "device 0 (NVIDIA H200)".
  const std::string& name() const { return name_; }
  const CudaDriver& driver() const { return driver_; }
  /// Bytes of its memory that nobody uses.
  std::size_t free_memory() const;

  void check(CuResult result, const char* call) const {
    if (result != cu::success) driver_.check(result, call, name_);
  }
  const CuFunctions& call() const { return driver_.call(); }

  /// Makes the device's context the calling thread's for as long as it lives.
  class Current {
   public:
    explicit Current(const CudaDevice& device) : device_(device) {
      device.check(device.call().push_context(device.context_), "cuCtxPushCurrent");
    }
    ~Current() {
      CuContext before = nullptr;
      device_.call().pop_context(&before);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const CudaDevice& device_;
  };

  /// For destructors: calls `release` where the context can be had. A device that is lost has lost
  /// its objects, too.
  template <class Release>
  void release(const Release& release) const {
    if (call().push_context(context_) != cu::success) return;
    release();
    CuContext before = nullptr;
    call().pop_context(&before);
  }

 private:
  CudaDevice(const CudaDriver& driver, int number);

  const CudaDriver& driver_;
  int number_;
  CuDeviceNumber handle_ = 0;
  CuContext context_ = nullptr;
  std::string name_;
};

/// What a device is called and has.
struct DeviceDescription {
  int number = 0;
  std::string name;        ///< "NVIDIA H200"
  std::size_t memory = 0;  ///< bytes
  std::string capability;  ///< "9.0"
  std::string pci;         ///< "0000:19:00.0"
};
/// Makes no context.
DeviceDescription describe_device(const CudaDriver& driver, int number);

/// The devices that this process sees.
struct DevicesHere {
  std::vector<DeviceDescription> devices = {};
  std::string cuda = {};    ///< the newest CUDA that the driver serves, "12.4"; empty: no driver
  std::string reason = {};  ///< why there are none
};
/// Loads the driver; makes no context.
DevicesHere devices_here(const Environment& environment);

/// A point in a stream's work. A thread has the device current where it is made and used.
class CudaEvent {
 public:
  explicit CudaEvent(const CudaDevice& device);
  ~CudaEvent();
  CudaEvent(CudaEvent&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&&) = delete;

  CuEvent get() const { return event_; }
  /// True if the work before it is done; true, too, if it was never recorded.
  bool done() const;
  void wait() const;

 private:
  const CudaDevice* device_;
  CuEvent event_ = nullptr;
};

/// Work that a device does in order, beside that of other streams. As CudaEvent.
class CudaStream {
 public:
  explicit CudaStream(const CudaDevice& device);
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  CuStream get() const { return stream_; }
  void record(const CudaEvent& event) const;
  /// What follows in this stream begins after what stands before the event in its stream.
  void wait_for(const CudaEvent& event) const;
  /// What follows begins after all that the program has put into its default stream: what it has
  /// begun to compute on the device without naming a stream is done then.
  void wait_for_default_stream() const;
  /// Waits until all of it is done.
  void wait() const;
  /// Copies `height` lines of `width` bytes. Host memory that is not pinned is copied before the
  /// call returns; other memory must stay as it is until the copy is done.
  void copy(const MemoryLines& from, const MemoryLines& to, std::size_t width,
            std::size_t height) const;
  /// Sets `height` lines of `width` bytes on the device to zero.
  void clear(const MemoryLines& lines, std::size_t width, std::size_t height) const;

 private:
  const CudaDevice& device_;
  CuStream stream_ = nullptr;
};

/// Memory of a device. As CudaEvent.
class DeviceMemory {
 public:
  DeviceMemory(const CudaDevice& device, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::byte* data() const { return reinterpret_cast<std::byte*>(pointer_); }
  std::size_t bytes() const { return bytes_; }

 private:
  const CudaDevice& device_;
  CuPointer pointer_ = 0;
  std::size_t bytes_;
};

/// Memory of the caller that is pinned for as long as it lives, so that devices copy it at the
/// link's full rate while the host does other things.
class PinnedPages {
 public:
  /// nullptr where the system refuses to pin it, as it does pages that are pinned already.
  static std::unique_ptr<PinnedPages> of(const CudaDevice& device, const void* data,
                                         std::size_t bytes);
  ~PinnedPages();
  PinnedPages(const PinnedPages&) = delete;
  PinnedPages& operator=(const PinnedPages&) = delete;

 private:
  PinnedPages(const CudaDevice& device, void* data) : device_(device), data_(data) {}

  const CudaDevice& device_;
  void* data_;
};

}  // namespace cuboid::detail
