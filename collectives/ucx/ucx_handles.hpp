#pragma once

#include <cuboid/error.hpp>

#include <memory>

#include <fmt/format.h>
#include <ucp/api/ucp.h>
#include <ucs/type/status.h>

namespace cuboid::detail {

struct UcxContextDeleter {
  void operator()(ucp_context_h context) const { ucp_cleanup(context); }
};
using UcxContext = std::unique_ptr<ucp_context, UcxContextDeleter>;

struct UcxWorkerDeleter {
  void operator()(ucp_worker_h worker) const { ucp_worker_destroy(worker); }
};
using UcxWorker = std::unique_ptr<ucp_worker, UcxWorkerDeleter>;

/// The UCX objects of a rank. The worker ends first.
struct Ucx {
  UcxContext context;
  UcxWorker worker;
};

struct UcxConfigDeleter {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
};
using UcxConfig = std::unique_ptr<ucp_config_t, UcxConfigDeleter>;

struct UcxRemoteKeyDeleter {
  void operator()(ucp_rkey_h key) const { ucp_rkey_destroy(key); }
};
using UcxRemoteKey = std::unique_ptr<ucp_rkey, UcxRemoteKeyDeleter>;

struct UcxRequestDeleter {
  void operator()(void* request) const { ucp_request_free(request); }
};
using UcxRequest = std::unique_ptr<void, UcxRequestDeleter>;

/// Throws Error(unsupported) if `status` is an error. The text names `what` UCX could not do.
inline void require(ucs_status_t status, const char* what) {
  if (status == UCS_OK) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("UCX: {} failed: {}; `ucx_info -d` lists the usable transports", what,
                          ucs_status_string(status)));
}

}  // namespace cuboid::detail
