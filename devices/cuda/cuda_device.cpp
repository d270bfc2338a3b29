#include "devices/cuda/cuda_device.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

CuPointer address(const void* data) {
  return reinterpret_cast<CuPointer>(data);
}

std::string name_of_device(const CudaDriver& driver, CuDeviceNumber device) {
  std::array<char, 256> name{};
  driver.check(driver.call().device_name(name.data(), static_cast<int>(name.size()) - 1, device),
               "cuDeviceGetName", "a device");
  return name.data();
}

}  // namespace

DeviceDescription describe_device(const CudaDriver& driver, int number) {
  const std::string where = fmt::format("device {}", number);
  CuDeviceNumber device = 0;
  driver.check(driver.call().device(&device, number), "cuDeviceGet", where);
  const auto attribute = [&](int which) {
    int value = 0;
    driver.check(driver.call().device_attribute(&value, which, device), "cuDeviceGetAttribute",
                 where);
    return value;
  };
  std::size_t memory = 0;
  driver.check(driver.call().device_memory(&memory, device), "cuDeviceTotalMem", where);
  return {number, name_of_device(driver, device), memory,
          fmt::format("{}.{}", attribute(cu::capability_major), attribute(cu::capability_minor)),
          fmt::format("{:04x}:{:02x}:{:02x}.0", attribute(cu::pci_domain), attribute(cu::pci_bus),
                      attribute(cu::pci_slot))};
}

CudaDevice::CudaDevice(const CudaDriver& driver, int number) : driver_(driver), number_(number) {
  if (number < 0 || number >= driver.devices()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("there is no device {}: this process sees {} (CUBOID_DEVICE, "
                            "CUDA_VISIBLE_DEVICES)",
                            number, driver.devices()));
  }
  name_ = fmt::format("device {}", number);
  check(call().device(&handle_, number), "cuDeviceGet");
  name_ += fmt::format(" ({})", name_of_device(driver, handle_));
  check(call().retain_context(&context_, handle_), "cuDevicePrimaryCtxRetain");
}

DevicesHere devices_here(const Environment& environment) {
  DevicesHere here;
  try {
    const CudaDriver& driver = CudaDriver::at(environment.cuda.value_or(cuda_driver_file));
    here.cuda = driver.version_name();
    for (int number = 0; number < driver.devices(); ++number)
      here.devices.push_back(describe_device(driver, number));
  } catch (const Error& error) {
    here.reason = error.what();
  }
  return here;
}

const CudaDevice& CudaDevice::at(const CudaDriver& driver, int number) {
  // State of the process, never destroyed, as in CudaDriver::at().
  static std::mutex& mutex = *new std::mutex;
  static auto& devices =
      *new std::map<std::pair<const CudaDriver*, int>, std::unique_ptr<const CudaDevice>>;
  const std::lock_guard lock(mutex);
  auto& device = devices[{&driver, number}];
  if (device == nullptr) device.reset(new CudaDevice(driver, number));
  return *device;
}

const CudaDevice& CudaDevice::at(const Environment& environment, int number) {
  if (number < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("device {}: give the number of a device, from 0 on", number));
  }
  return at(CudaDriver::at(environment.cuda.value_or(cuda_driver_file)), number);
}

bool CudaDevice::reaches(const CudaDevice& other) const {
  if (&other == this) return true;
  int possible = 0;
  check(call().can_access_peer(&possible, handle_, other.handle_), "cuDeviceCanAccessPeer");
  if (possible == 0) return false;
  const Current current(*this);
  const CuResult result = call().enable_peer_access(other.context_, 0);
  return result == cu::success || result == cu::peer_access_already_enabled;
}

void CudaDevice::wait_for_default_stream() const {
  const Current current(*this);
  check(call().wait_stream(nullptr), "cuStreamSynchronize");
}

std::size_t CudaDevice::free_memory() const {
  const Current current(*this);
  std::size_t free = 0, total = 0;
  check(call().free_memory(&free, &total), "cuMemGetInfo");
  return free;
}

void wait_for_stream(CuStream stream) {
  const CudaDriver* const driver = CudaDriver::loaded();
  if (driver == nullptr) return;
  // A default stream is that of the thread's current context. Any context serves the wait for
  // another stream, so none is made for it.
  CuContext context = nullptr;
  driver->check(driver->call().current_context(&context), "cuCtxGetCurrent", "a stream");
  std::optional<CudaDevice::Current> current;
  if (context == nullptr) current.emplace(CudaDevice::at(*driver, 0));
  driver->check(driver->call().wait_stream(stream), "cuStreamSynchronize", "a stream");
}

CudaEvent::CudaEvent(const CudaDevice& device) : device_(&device) {
  device.check(device.call().create_event(&event_, cu::disable_timing), "cuEventCreate");
}

CudaEvent::~CudaEvent() {
  if (event_ == nullptr) return;
  device_->release([this] { device_->call().destroy_event(event_); });
}

bool CudaEvent::done() const {
  const CuResult result = device_->call().query(event_);
  if (result == cu::not_ready) return false;
  device_->check(result, "cuEventQuery");
  return true;
}

void CudaEvent::wait() const {
  device_->check(device_->call().wait_event(event_), "cuEventSynchronize");
}

CudaStream::CudaStream(const CudaDevice& device) : device_(device) {
  device.check(device.call().create_stream(&stream_, cu::non_blocking), "cuStreamCreate");
}

CudaStream::~CudaStream() {
  device_.release([this] { device_.call().destroy_stream(stream_); });
}

void CudaStream::record(const CudaEvent& event) const {
  device_.check(device_.call().record(event.get(), stream_), "cuEventRecord");
}

void CudaStream::wait_for(const CudaEvent& event) const {
  device_.check(device_.call().stream_waits(stream_, event.get(), 0), "cuStreamWaitEvent");
}

void CudaStream::wait_for_default_stream() const {
  const CudaEvent event(device_);
  device_.check(device_.call().record(event.get(), nullptr), "cuEventRecord");
  wait_for(event);
}

void CudaStream::wait() const {
  device_.check(device_.call().wait_stream(stream_), "cuStreamSynchronize");
}

void CudaStream::copy(const MemoryLines& from, const MemoryLines& to, std::size_t width,
                      std::size_t height) const {
  if (width == 0 || height == 0) return;
  // The driver takes no longer pitches.
  constexpr std::size_t longest_pitch = (std::size_t{1} << 31) - 1;
  if (height == 1 || std::max(from.pitch, to.pitch) > longest_pitch) {
    for (std::size_t line = 0; line < height; ++line)
      copy(static_cast<const std::byte*>(from.data) + line * from.pitch,
           static_cast<std::byte*>(to.data) + line * to.pitch, width);
    return;
  }
  CuCopy2d copy;
  copy.source_kind = from.on_device ? cu::unified_memory : cu::host_memory;
  copy.source_host = from.on_device ? nullptr : from.data;
  copy.source_device = from.on_device ? address(from.data) : 0;
  copy.source_pitch = from.pitch;
  copy.target_kind = to.on_device ? cu::unified_memory : cu::host_memory;
  copy.target_host = to.on_device ? nullptr : to.data;
  copy.target_device = to.on_device ? address(to.data) : 0;
  copy.target_pitch = to.pitch;
  copy.width = width;
  copy.height = height;
  device_.check(device_.call().copy_2d(&copy, stream_), "cuMemcpy2DAsync");
}

void CudaStream::copy(const void* from, void* to, std::size_t bytes) const {
  if (bytes == 0) return;
  device_.check(device_.call().copy(address(to), address(from), bytes, stream_), "cuMemcpyAsync");
}

void CudaStream::clear(const MemoryLines& lines, std::size_t width, std::size_t height) const {
  if (width == 0 || height == 0) return;
  device_.check(device_.call().fill_2d(address(lines.data), lines.pitch, 0, width, height, stream_),
                "cuMemsetD2D8Async");
}

DeviceMemory::DeviceMemory(const CudaDevice& device, std::size_t bytes)
    : device_(device), bytes_(bytes) {
  if (bytes > 0) device.check(device.call().allocate(&pointer_, bytes), "cuMemAlloc");
}

DeviceMemory::~DeviceMemory() {
  if (pointer_ != 0) device_.release([this] { device_.call().free(pointer_); });
}

std::unique_ptr<PinnedPages> PinnedPages::of(const CudaDevice& device, const void* data,
                                             std::size_t bytes) {
  const CudaDevice::Current current(device);
  void* const begin = const_cast<void*>(data);
  if (device.call().pin(begin, bytes, cu::portable) != cu::success) return nullptr;
  return std::unique_ptr<PinnedPages>(new PinnedPages(device, begin));
}

PinnedPages::~PinnedPages() {
  device_.release([this] { device_.call().unpin(data_); });
}

}  // namespace cuboid::detail
