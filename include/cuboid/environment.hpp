#pragma once

#include <cuboid/export.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {

/// The level of messages on standard error (CUBOID_LOG). Each level includes those before it.
enum class LogLevel { error, warn, info, debug };

/// Writes whole lines "cuboid[rank]: level: message" to standard error. A value that may be copied
/// freely.
class CUBOID_API Logger {
 public:
  Logger() = default;
  Logger(LogLevel level, int rank) : level_(level), rank_(rank) {}

  /// The most detailed level that is written.
  LogLevel level() const { return level_; }
  /// True if messages of this level are written.
  bool enabled(LogLevel level) const { return level <= level_; }

  /// Each of these writes one line if its level is enabled.
  void warn(std::string_view message) const { write(LogLevel::warn, message); }
  void info(std::string_view message) const { write(LogLevel::info, message); }
  void debug(std::string_view message) const { write(LogLevel::debug, message); }

 private:
  void write(LogLevel level, std::string_view message) const;

  LogLevel level_ = LogLevel::warn;
  int rank_ = 0;
};

/// How calls of collectives are checked.
enum class CheckLevel {
  arguments,   ///< each rank checks its own arguments
  collective,  ///< ranks also compare their calls
};

/// The threads that progress collectives in flight.
enum class ProgressBy {
  calls,   ///< calls into Cuboid
  thread,  ///< calls, and between them a thread of Cuboid's own
};

/// The library that carries messages between nodes.
enum class TransportChoice {
  automatic,  ///< UCX where it was built in and reaches all peers, else MPI
  ucx,
  mpi,  ///< MPI's point-to-point messages; needs ranks that are MPI's (mpi_bootstrap())
};

/// When GPUs multiply operands that lie in the host's memory.
enum class DeviceUse {
  automatic,  ///< where that is faster than the cores
  never,
  always,  ///< wherever a device has the memory for it
};

/// All environment variables that Cuboid reads, with their meaning, values and defaults. They are
/// read once and then passed on as a value. docs/environment.md has the same list.
struct CUBOID_API Environment {
  /// CUBOID_TIMEOUT: seconds that a wait may last without progress before it is an error. A number
  /// > 0, at most 1e9.
  std::chrono::duration<double> timeout{60.0};

  /// CUBOID_LOG: level of messages on standard error: error, warn, info or debug.
  LogLevel log_level = LogLevel::warn;

  /// CUBOID_TOPOLOGY: the network's shape, a file, or the name of a source; it replaces discovery.
  /// E.g. "torus:4x4", "mesh:8", "file:net.json", "flat".
  std::optional<std::string> topology;

  /// CUBOID_COORDINATE: the coordinate of this rank's node, e.g. "2,0,1", on machines that provide
  /// it.
  std::optional<std::string> coordinate;

  /// CUBOID_ALGORITHM: algorithms of collectives; they replace the model's choice. E.g.
  /// "broadcast:1M-:rectangular,allreduce:-4K:recursive_doubling".
  std::optional<std::string> algorithm;

  /// CUBOID_PARAMETERS: a file of model parameters, measured by `cuboid bench --calibrate`, or
  /// "none" for the built-in parameters. If it is not set, the file in the user's cache is used, if
  /// there is one.
  std::optional<std::string> parameters;

  /// XDG_CACHE_HOME, else HOME/.cache: the user's cache folder, which holds measured parameters.
  /// nullopt if neither is set.
  std::optional<std::string> cache_folder;

  /// CUBOID_BLAS: path of the CBLAS library for local multiplications. Without it, the library that
  /// was chosen at configure time is used.
  std::optional<std::string> blas;
  /// CUBOID_LAPACK: path of the LAPACK library for local factorisations, instead of that of
  /// CUBOID_BLAS or the one chosen at configure time.
  std::optional<std::string> lapack;
  /// CUBOID_HDF5: path of the HDF5 library for matrices in .h5 files, instead of the one chosen at
  /// configure time. A process loads one: for the first such file, by its own variable.
  std::optional<std::string> hdf5;

  /// CUBOID_CHECK: "arguments", or "collective" to compare each call with the calls of all other
  /// ranks. "collective" is for debugging: every start of a collective then waits for all ranks.
  CheckLevel check = CheckLevel::arguments;
  /// True if CUBOID_CHECK is "collective".
  bool compares_calls() const { return check == CheckLevel::collective; }

  /// CUBOID_PROGRESS: "calls", or "thread" if non-blocking collectives are to progress while the
  /// program computes.
  ProgressBy progress = ProgressBy::calls;

  /// CUBOID_TRANSPORT: "ucx", "mpi" or "auto", the same on all ranks.
  TransportChoice transport = TransportChoice::automatic;

  /// CUBOID_DEVICE: "auto", "none", "gpu" (always), or the numbers of the devices to use where a
  /// device is faster, e.g. "0,1". Operands in a device's memory are multiplied there in any case.
  DeviceUse device_use = DeviceUse::automatic;
  /// The devices that CUBOID_DEVICE names; empty: all that the process sees.
  std::vector<int> devices = {};
  /// CUBOID_DEVICE_MEMORY: bytes of device memory that each rank may use, e.g. "8G". nullopt: each
  /// rank uses its share of the free memory.
  std::optional<std::size_t> device_memory;
  /// CUBOID_CUDA, CUBOID_CUBLAS, CUBOID_CUSOLVER and CUBOID_NVRTC: paths of CUDA's driver
  /// (libcuda.so.1), of cuBLAS, cuSOLVER and NVRTC. Without them, the loader finds all four.
  std::optional<std::string> cuda, cublas, cusolver, nvrtc;

  /// Looks a variable up; nullopt if it is not set.
  using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

  /// Reads the variables of this process. Throws Error(parse), which names the variable, its value
  /// and the remedy.
  static Environment read();
  /// Reads variables from another source, for tests and for programs that embed Cuboid.
  static Environment read(const Lookup& lookup);
};

}  // namespace cuboid
