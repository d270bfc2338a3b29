#pragma once

#include <cuboid/export.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuboid {

/// The kind of an error, for programs to branch on.
enum class ErrorCode {
  invalid_argument,  ///< the caller's arguments cannot be served; nothing was done
  mismatch,          ///< ranks disagree about an operation
  timeout,           ///< a deadline passed (CUBOID_TIMEOUT)
  peer_failed,       ///< another rank died, left or aborted
  out_of_memory,     ///< memory is missing
  io,                ///< a file or device could not be read or written
  parse,             ///< a file's or variable's content is malformed
  unsupported,       ///< not possible on this machine or with this build
  internal,          ///< a defect of Cuboid
};

/// The lower-case name of a code, e.g. "timeout".
CUBOID_API std::string_view to_string(ErrorCode code);

/// The one exception type of Cuboid. The message names what failed, where (rank, peer, operation,
/// file, line) and the remedy.
class CUBOID_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace cuboid
