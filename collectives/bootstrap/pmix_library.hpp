#pragma once

#include "base/shared_library.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cuboid::detail {

// What Cuboid uses of PMIx's interface, so that no header of PMIx is needed to build it. The
// layouts are the layouts of PMIx 3 to 6 (pmix_common.h of 3.0.0 to 6.1.0). The pmix_value_t of
// PMIx 2 is shorter. tests/collectives/bootstrap/pmix_test.cpp compares them with the header of
// this machine.

/// pmix_proc_t: a process, by its job and its rank in the job.
struct PmixProcess {
  std::array<char, 256> job;
  std::uint32_t rank;
};

/// pmix_byte_object_t
struct PmixBytes {
  const std::byte* data;
  std::size_t size;
};

/// pmix_envar_t: not used, but the longest of all data in a value.
struct PmixVariable {
  const char* name;
  const char* value;
  char separator;
};

/// pmix_value_t
struct PmixValue {
  std::uint16_t type;
  union {
    bool flag;
    std::uint32_t number;
    PmixBytes bytes;
    PmixVariable variable;
  };
};

/// pmix_info_t: a named argument of a call.
struct PmixArgument {
  std::array<char, 512> name;
  std::uint32_t flags;
  PmixValue value;
};

namespace pmix {

// Types of values, ranks that are none, statuses, and the scope of data that all ranks may see.
constexpr std::uint16_t flag = 1;                    // PMIX_BOOL
constexpr std::uint16_t number = 14;                 // PMIX_UINT32
constexpr std::uint16_t bytes = 27;                  // PMIX_BYTE_OBJECT
constexpr std::uint32_t all_ranks = UINT32_MAX - 1;  // PMIX_RANK_WILDCARD
constexpr int success = 0;
constexpr int timeout = -24;        // PMIX_ERR_TIMEOUT
constexpr int done_at_once = -157;  // PMIX_OPERATION_SUCCEEDED: there will be no callback
constexpr std::uint8_t global = 3;  // PMIX_GLOBAL
constexpr const char* size_of_job = "pmix.job.size";
constexpr const char* collect_data = "pmix.collect";

/// Called by PMIx's thread when an operation is complete.
using Completed = void(int status, void* context);
/// Called by PMIx's thread, or within the call that asks, with a value that PMIx owns.
using Answered = void(int status, PmixValue* value, void* context);

}  // namespace pmix

/// PMIx's functions, loaded at run time. All calls return at once or wait for this node's server
/// only. PMIx keeps the memory of names and contexts of pending calls.
class PmixLibrary {
 public:
  /// Throws Error(unsupported), with the remedy, if there is no such library or if it is too old.
  /// @param name  libpmix.so.2 is the name in all versions from 2 to 6
  explicit PmixLibrary(const std::string& name = "libpmix.so.2");

  int (*init)(PmixProcess* self, const PmixArgument* arguments, std::size_t count) = nullptr;
  int (*finalise)(const PmixArgument* arguments, std::size_t count) = nullptr;
  int (*put)(std::uint8_t scope, const char* key, PmixValue* value) = nullptr;
  int (*commit)() = nullptr;
  int (*fence)(const PmixProcess* ranks, std::size_t count, const PmixArgument* arguments,
               std::size_t argument_count, pmix::Completed* completed, void* context) = nullptr;
  int (*get)(const PmixProcess* rank, const char* key, const PmixArgument* arguments,
             std::size_t count, pmix::Answered* answered, void* context) = nullptr;
  const char* (*text_of)(int status) = nullptr;

 private:
  SharedLibrary library_;
};

}  // namespace cuboid::detail
