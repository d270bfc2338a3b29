#pragma once

#include <cuboid/environment.hpp>

#include "base/shared_library.hpp"
#include "devices/cuda/cuda_device.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace cuboid::detail {

/// Whether tests run on this machine's GPU instead of the stand-in (CUBOID_TEST_DEVICE=real).
inline bool on_a_real_device() {
  const char* text = std::getenv("CUBOID_TEST_DEVICE");
  return text != nullptr && std::string(text) == "real";
}

/// An environment whose products of any size run on the device.
inline Environment device_environment(DeviceUse use = DeviceUse::always) {
  Environment environment = Environment::read();
  environment.device_use = use;
  if (!on_a_real_device()) {
    environment.cuda = environment.cublas = environment.cusolver = environment.nvrtc =
        CUBOID_STAND_IN_FOR_CUDA;
    environment.cache_folder.reset();  // what the stand-in compiles is for nobody else
  }
  return environment;
}

inline const CudaDevice& test_device(int number = 0) {
  const Environment environment = device_environment();
  return CudaDevice::at(CudaDriver::at(environment.cuda.value_or(cuda_driver_file)), number);
}

/// The stand-in's settings; nothing on a real device. Ends with streams in order and all well.
class StandIn {
 public:
  StandIn() : file_(device_environment().cuda.value_or(cuda_driver_file), Symbols::programs) {}
  ~StandIn() {
    recover();
    without("");
    streams("in_order");
    memory(std::size_t{1} << 30);
  }
  void streams(const char* mode, unsigned seed = 1) const {
    call<void(const char*, unsigned)>("stand_in_streams", mode, seed);
  }
  void fail(const char* function, int after, int result) const {
    call<void(const char*, int, int)>("stand_in_fail", function, after, result);
  }
  /// Takes away sharing between processes ("ipc") or between devices ("peers"); "" takes nothing.
  void without(const char* what) const { call<void(const char*)>("stand_in_without", what); }
  void recover() const { call<void()>("stand_in_recover"); }
  void memory(std::size_t bytes) const { call<void(std::size_t)>("stand_in_memory", bytes); }

  std::int64_t compiled() const {
    auto* const function = file_.find<std::int64_t()>("stand_in_compiled");
    return function == nullptr ? 0 : function();
  }

  /// The allocations of other processes that this process has open.
  std::int64_t opened() const {
    auto* const function = file_.find<std::int64_t()>("stand_in_opened");
    return function == nullptr ? 0 : function();
  }

  struct Counts {
    std::int64_t bytes_up = 0, bytes_down = 0, multiplications = 0, allocated = 0, pinned = 0;
  };
  Counts counts() const {
    std::array<std::int64_t, 5> all{};
    call<void(std::int64_t*)>("stand_in_counts", all.data());
    return {all[0], all[1], all[2], all[3], all[4]};
  }

 private:
  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    if (auto* const function = file_.find<Function>(name)) function(arguments...);
  }

  SharedLibrary file_;
};

/// An array in a device's memory, filled from the host's and read back.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values, const CudaDevice& device = test_device())
      : current_(device), memory_(device, values.size() * sizeof(T)), stream_(device) {
    copy({const_cast<T*>(values.data()), 0, false}, {memory_.data(), 0, true});
  }
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  std::vector<T> read() const {
    std::vector<T> values(memory_.bytes() / sizeof(T));
    copy({memory_.data(), 0, true}, {values.data(), 0, false});
    return values;
  }

 private:
  void copy(MemoryLines from, MemoryLines to) const {
    from.pitch = to.pitch = memory_.bytes();
    stream_.copy(from, to, memory_.bytes(), 1);
    stream_.wait();
  }

  CudaDevice::Current current_;
  DeviceMemory memory_;
  CudaStream stream_;
};

}  // namespace cuboid::detail
