#include <cuboid/error.hpp>

namespace cuboid {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid argument";
    case ErrorCode::mismatch: return "mismatch";
    case ErrorCode::timeout: return "timeout";
    case ErrorCode::peer_failed: return "peer failed";
    case ErrorCode::out_of_memory: return "out of memory";
    case ErrorCode::io: return "io";
    case ErrorCode::parse: return "parse";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::internal: return "internal";
  }
  return "unknown";
}

}  // namespace cuboid
