#pragma once

#include <cuboid/export.hpp>
#include <cuboid/log.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace cuboid {

/// How far the calls of collectives are checked.
enum class CheckLevel {
  arguments,   ///< what a rank can see by itself
  collective,  ///< ranks also compare their calls with each other's
};

/// What lets collectives in flight get on.
enum class ProgressBy {
  calls,   ///< calls into Cuboid
  thread,  ///< those, and in between a thread of Cuboid's own
};

/// Every environment variable Cuboid reads, its meaning, values and default. Read once, then handed
/// on as a value. The README's table is made from this list.
struct CUBOID_API Environment {
  /// CUBOID_TIMEOUT: seconds that a wait may go without anything moving before it is an error. A
  /// number > 0, at most 1e9.
  std::chrono::duration<double> timeout{60.0};

  /// CUBOID_LOG: how much is said on standard error: error, warn, info or debug.
  LogLevel log_level = LogLevel::warn;

  /// CUBOID_TOPOLOGY: the network's shape or source instead of discovering it, e.g. "torus:4x4",
  /// "mesh:8", "file:net.json", "flat".
  std::optional<std::string> topology;

  /// CUBOID_COORDINATE: this rank's node coordinate in the network, e.g. "2,0,1", for machines that
  /// hand it out.
  std::optional<std::string> coordinate;

  /// CUBOID_ALGORITHM: which algorithm runs which collective, instead of the one the model would
  /// choose, e.g. "broadcast:1M-:rectangular,allreduce:-4K:recursive_doubling".
  std::optional<std::string> algorithm;

  /// CUBOID_PARAMETERS: the file with the model's parameters as `cuboid bench --calibrate` has
  /// measured them, or "none" for the built-in ones; not set: the one in the user's cache, if any.
  std::optional<std::string> parameters;

  /// XDG_CACHE_HOME, else HOME/.cache: the folder of the user's caches, where measured parameters
  /// are kept. nullopt where neither is set.
  std::optional<std::string> cache_folder;

  /// CUBOID_BLAS: path of the CBLAS library the local multiplications use, instead of the one
  /// chosen at configure time.
  std::optional<std::string> blas;

  /// CUBOID_CHECK: "arguments", or "collective" to compare every call with those of all other ranks
  /// first. For debugging: every start of a collective then waits for all ranks.
  CheckLevel check = CheckLevel::arguments;
  bool compares_calls() const { return check == CheckLevel::collective; }

  /// CUBOID_PROGRESS: "calls", or "thread" for non-blocking collectives that get on while the
  /// program computes.
  ProgressBy progress = ProgressBy::calls;

  /// Looks a variable up; nullopt where it is not set.
  using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

  /// Reads the variables of this process. Throws Error(parse) naming the variable, its value and
  /// the remedy.
  static Environment read();
  /// The same with another source of variables, for tests and embedders.
  static Environment read(const Lookup& lookup);
};

}  // namespace cuboid
