#pragma once

#include <cuboid/error.hpp>

#include <fmt/format.h>
#include <ucs/type/status.h>

namespace cuboid::detail {

/// Throws Error(unsupported) if `status` is an error. The text names `what` UCX could not do.
inline void require(ucs_status_t status, const char* what) {
  if (status == UCS_OK) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("UCX: {} failed: {}; `ucx_info -d` lists the usable transports", what,
                          ucs_status_string(status)));
}

}  // namespace cuboid::detail
