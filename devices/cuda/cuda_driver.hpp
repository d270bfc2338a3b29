#pragma once

#include "base/shared_library.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cuboid::detail {

/// Types and constants of the CUDA driver's binary interface since CUDA 11. HIP's driver interface
/// has the same functions under other names.
using CuResult = int;
using CuDeviceNumber = int;
using CuPointer = std::uint64_t;  ///< an address; unified addressing: it is the same on the host
using CuContext = struct CuContextState*;
using CuStream = struct CuStreamState*;
using CuEvent = struct CuEventState*;

struct CuCopy2d {
  std::size_t source_x = 0, source_y = 0;
  int source_kind = 0;
  const void* source_host = nullptr;
  CuPointer source_device = 0;
  void* source_array = nullptr;
  std::size_t source_pitch = 0;
  std::size_t target_x = 0, target_y = 0;
  int target_kind = 0;
  void* target_host = nullptr;
  CuPointer target_device = 0;
  void* target_array = nullptr;
  std::size_t target_pitch = 0;
  std::size_t width = 0;   ///< bytes of a line
  std::size_t height = 0;  ///< lines
};
static_assert(sizeof(CuCopy2d) == 128);

/// What tells other processes of an allocation.
struct CuMemoryHandle {
  std::array<std::byte, 64> bytes = {};
  bool operator==(const CuMemoryHandle&) const = default;
};

namespace cu {
inline constexpr CuResult success = 0, invalid_value = 1, out_of_memory = 2, not_ready = 600,
                          peer_access_already_enabled = 704, already_registered = 712;
/// Where memory lies. The driver looks up the device of unified memory; other memory of a device is
/// the current device's.
inline constexpr int host_memory = 1, device_memory = 2, unified_memory = 4;
inline constexpr int attribute_memory_type = 2, attribute_is_managed = 8,
                     attribute_device_ordinal = 9, attribute_has_memory_handle = 10,
                     attribute_range_begin = 11, attribute_range_bytes = 12;
inline constexpr unsigned lazy_peer_access = 1;
inline constexpr unsigned non_blocking = 1, disable_timing = 2, portable = 1;
inline constexpr int pci_bus = 33, pci_slot = 34, pci_domain = 50, capability_major = 75,
                     capability_minor = 76;
}  // namespace cu

/// The name of the driver's library, for the loader.
inline constexpr const char* cuda_driver_file = "libcuda.so.1";

/// The driver's functions that Cuboid calls.
struct CuFunctions {
  CuResult (*init)(unsigned);
  CuResult (*driver_version)(int*);
  CuResult (*error_name)(CuResult, const char**);
  CuResult (*error_text)(CuResult, const char**);
  CuResult (*device_count)(int*);
  CuResult (*device)(CuDeviceNumber*, int);
  CuResult (*device_name)(char*, int, CuDeviceNumber);
  CuResult (*device_attribute)(int*, int, CuDeviceNumber);
  CuResult (*device_memory)(std::size_t*, CuDeviceNumber);
  CuResult (*retain_context)(CuContext*, CuDeviceNumber);
  CuResult (*push_context)(CuContext);
  CuResult (*pop_context)(CuContext*);
  CuResult (*current_context)(CuContext*);
  CuResult (*free_memory)(std::size_t*, std::size_t*);
  CuResult (*allocate)(CuPointer*, std::size_t);
  CuResult (*free)(CuPointer);
  CuResult (*pin)(void*, std::size_t, unsigned);
  CuResult (*unpin)(void*);
  CuResult (*copy)(CuPointer, CuPointer, std::size_t, CuStream);
  CuResult (*copy_2d)(const CuCopy2d*, CuStream);
  CuResult (*fill_2d)(CuPointer, std::size_t, unsigned char, std::size_t, std::size_t, CuStream);
  CuResult (*pointer_attributes)(unsigned, int*, void**, CuPointer);
  CuResult (*memory_handle)(CuMemoryHandle*, CuPointer);
  CuResult (*open_memory)(CuPointer*, CuMemoryHandle, unsigned);
  CuResult (*close_memory)(CuPointer);
  CuResult (*can_access_peer)(int*, CuDeviceNumber, CuDeviceNumber);
  CuResult (*enable_peer_access)(CuContext, unsigned);
  CuResult (*create_stream)(CuStream*, unsigned);
  CuResult (*destroy_stream)(CuStream);
  CuResult (*wait_stream)(CuStream);
  CuResult (*stream_waits)(CuStream, CuEvent, unsigned);
  CuResult (*create_event)(CuEvent*, unsigned);
  CuResult (*destroy_event)(CuEvent);
  CuResult (*record)(CuEvent, CuStream);
  CuResult (*query)(CuEvent);
  CuResult (*wait_event)(CuEvent);
};

/// The driver of this machine's CUDA devices, loaded at run time and once per process.
class CudaDriver {
 public:
  /// The driver library at `path`. It is initialised at the first call for that path. Throws
  /// Error(unsupported) with the reason and the remedy: there is no such library, there is no
  /// device, or the library is too old.
  static const CudaDriver& at(const std::string& path);
  /// The driver that at() has loaded; nullptr if at() has loaded none, so this process has used no
  /// device. Costs a load from memory.
  static const CudaDriver* loaded() { return loaded_.load(std::memory_order_acquire); }
  /// Takes the driver at `path` into use if the program has loaded it by itself, for its own work
  /// on a device. Tries once: a driver without devices stays unused. Looks for it once after each
  /// loading of libraries; otherwise it takes some 30 ns. Give the same path in every call.
  static void adopt(const std::string& path);

  const CuFunctions& call() const { return call_; }
  /// The newest CUDA that the driver supports, e.g. 12040 for CUDA 12.4.
  int version() const { return version_; }
  /// The newest CUDA that the driver supports as text, e.g. "12.4".
  std::string version_name() const;
  int devices() const { return devices_; }
  const std::string& path() const { return file_.path(); }

  /// Throws if a call failed: Error(out_of_memory), or Error(io) for a device that is lost. The
  /// error names the call, the place of the call ("device 0") and the remedy.
  void check(CuResult result, const char* name, const std::string& where) const;
  /// The name and the text of a result: "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
  std::string describe(CuResult result) const;

  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

 private:
  explicit CudaDriver(const std::string& path);

  static inline std::atomic<const CudaDriver*> loaded_ = nullptr;

  SharedLibrary file_;
  CuFunctions call_ = {};
  int version_ = 0;
  int devices_ = 0;
};

}  // namespace cuboid::detail
