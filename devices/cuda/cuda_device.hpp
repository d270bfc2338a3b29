#pragma once

#include <cuboid/environment.hpp>

#include "devices/cuda/cuda_driver.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// A rectangle in memory. It consists of lines, whose beginnings are `pitch` bytes apart. The lines
/// of a column-major matrix are its columns.
struct MemoryLines {
  void* data = nullptr;
  std::size_t pitch = 0;
  bool on_device = false;
};

/// One CUDA device and its primary context. The process shares the context with other users of the
/// device (CUDA's runtime, CuPy) and keeps it until its end. Any thread may call the functions of
/// this class and of its objects. They throw Error(out_of_memory) or Error(io), which name the
/// device and the call.
class CudaDevice {
 public:
  /// The device of this number. Throws Error(invalid_argument) if there is none.
  static const CudaDevice& at(const CudaDriver& driver, int number);
  /// The same for the driver that the environment names. Throws Error(unsupported) if there is
  /// none.
  static const CudaDevice& at(const Environment& environment, int number);

  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  int number() const { return number_; }
  /// E.g. "device 0 (NVIDIA H200)".
  const std::string& name() const { return name_; }
  const CudaDriver& driver() const { return driver_; }
  /// Lets this device's work use the other device's memory. Returns false if the machine has no way
  /// between the two.
  bool reaches(const CudaDevice& other) const;
  /// Waits until the work that the program has put into the device's default stream is done.
  void wait_for_default_stream() const;
  /// The number of bytes of the device's memory that are free.
  std::size_t free_memory() const;

  void check(CuResult result, const char* call) const {
    if (result != cu::success) driver_.check(result, call, name_);
  }
  const CuFunctions& call() const { return driver_.call(); }

  /// Makes the device's context the calling thread's current context during its lifetime.
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

  /// For destructors: calls `release` if the context can be made current. If it cannot, the device
  /// is lost, and its objects with it.
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

/// The name of a device and its properties.
struct DeviceDescription {
  int number = 0;
  std::string name;        ///< "NVIDIA H200"
  std::size_t memory = 0;  ///< bytes
  std::string capability;  ///< "9.0"
  std::string pci;         ///< "0000:19:00.0"
};
/// Describes a device without making a context.
DeviceDescription describe_device(const CudaDriver& driver, int number);

/// The devices that this process sees.
struct DevicesHere {
  std::vector<DeviceDescription> devices = {};
  std::string cuda = {};    ///< the newest CUDA that the driver supports, "12.4"; empty: no driver
  std::string reason = {};  ///< the reason why there are no devices
};
/// Finds the devices. Loads the driver, but makes no context.
DevicesHere devices_here(const Environment& environment);

/// Waits on the host until the work of a caller's stream, of whichever device, is done. A process
/// without the driver has no streams. Throws Error(io).
void wait_for_stream(CuStream stream);

/// A point in a stream's work. The device must be current for the thread that makes or uses it.
class CudaEvent {
 public:
  explicit CudaEvent(const CudaDevice& device);
  ~CudaEvent();
  CudaEvent(CudaEvent&& other) noexcept
      : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&&) = delete;

  CuEvent get() const { return event_; }
  /// True if the work before the event is done, and also if the event was never recorded.
  bool done() const;
  void wait() const;

 private:
  const CudaDevice* device_;
  CuEvent event_ = nullptr;
};

/// A sequence of work that a device does in order, at the same time as the work of other streams.
/// The device must be current as for a CudaEvent.
class CudaStream {
 public:
  explicit CudaStream(const CudaDevice& device);
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  CuStream get() const { return stream_; }
  void record(const CudaEvent& event) const;
  /// Work that is queued in this stream from now on begins after the work before the event in its
  /// stream.
  void wait_for(const CudaEvent& event) const;
  /// Work that is queued from now on begins after all work that the program has put into its
  /// default stream. So the computations that the program began on the device without naming a
  /// stream are complete then.
  void wait_for_default_stream() const;
  /// Waits until all work of the stream is done.
  void wait() const;
  /// Copies `height` lines of `width` bytes. Neither memory must change until the copy is done: the
  /// driver may copy host memory that is not pinned before the call returns, or later.
  void copy(const MemoryLines& from, const MemoryLines& to, std::size_t width,
            std::size_t height) const;
  /// Copies bytes from and to any memory that the device reaches. What is said of lines holds, too.
  void copy(const void* from, void* to, std::size_t bytes) const;
  /// Sets `height` lines of `width` bytes on the device to zero.
  void clear(const MemoryLines& lines, std::size_t width, std::size_t height) const;

 private:
  const CudaDevice& device_;
  CuStream stream_ = nullptr;
};

/// Memory of a device. The device must be current as for a CudaEvent.
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

/// Memory of the caller that is pinned during the object's lifetime. Devices copy pinned memory at
/// the link's full rate while the host does other work.
class PinnedPages {
 public:
  /// nullptr if the system refuses to pin the memory, e.g. because it is pinned already.
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
