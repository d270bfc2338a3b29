#include "collectives/ucx/ucx_connections.hpp"

#include <cstdarg>
#include <utility>

#include <ucs/debug/log_def.h>

namespace cuboid::detail {

namespace {

thread_local bool opening = false;

// A rank that waits may connect to a peer that has just left. UCX would print an error then. open()
// returns the error instead, and its caller knows if it matters.
ucs_log_func_rc_t leave_errors_to_caller(const char*, unsigned, const char*, ucs_log_level_t level,
                                         const ucs_log_component_config_t*, const char*, va_list) {
  return opening && level == UCS_LOG_LEVEL_ERROR ? UCS_LOG_FUNC_RC_STOP : UCS_LOG_FUNC_RC_CONTINUE;
}

ucs_status_t create_endpoint(ucp_worker_h worker, const ucp_ep_params_t& parameters,
                             ucp_ep_h& endpoint) {
  [[maybe_unused]] static const bool once = [] {
    ucs_log_push_handler(&leave_errors_to_caller);
    return true;
  }();
  opening = true;
  const ucs_status_t status = ucp_ep_create(worker, &parameters, &endpoint);
  opening = false;
  return status;
}

}  // namespace

UcxConnections::UcxConnections(ucp_worker_h worker,
                               const std::vector<std::vector<std::byte>>& addresses, Ended ended)
    : worker_(worker),
      addresses_(addresses),
      endpoints_(addresses.size(), nullptr),
      ended_peers_(addresses.size(), false),
      ended_(std::move(ended)) {}

ucs_status_t UcxConnections::open(int peer) {
  // UCX answers over the connection that came from the peer. If that connection has just broken,
  // UCX must first deal with its end: UCX 1.13 aborts if the connection is in use again by then.
  constexpr int turns = 100;
  for (int turn = 0; turn < turns && ucp_worker_progress(worker_) != 0; ++turn) continue;
  const auto number = static_cast<std::size_t>(peer);
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  const CompressedAddresses::Bytes address = addresses_.at(number);
  parameters.address = reinterpret_cast<const ucp_address_t*>(address.data());
  parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  parameters.err_handler.cb = &UcxConnections::on_error;
  parameters.err_handler.arg = this;
  const ucs_status_t status = create_endpoint(worker_, parameters, endpoints_[number]);
  if (status != UCS_OK) endpoints_[number] = nullptr;
  return status;
}

void UcxConnections::close(int peer) {
  constexpr unsigned after_flush = 0;
  close(peer, after_flush);
}

void UcxConnections::cut(int peer) {
  close(peer, UCP_EP_CLOSE_FLAG_FORCE);
}

void UcxConnections::close(int peer, unsigned flags) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = flags;
  ucp_ep_h& endpoint = endpoints_[static_cast<std::size_t>(peer)];
  void* const request = ucp_ep_close_nbx(std::exchange(endpoint, nullptr), &parameters);
  if (UCS_PTR_IS_PTR(request)) closing_.push_back(request);
}

bool UcxConnections::closed() {
  std::erase_if(closing_, [](void* request) {
    if (ucp_request_check_status(request) == UCS_INPROGRESS) return false;
    ucp_request_free(request);
    return true;
  });
  return closing_.empty();
}

void UcxConnections::forget_closing() {
  for (void* const request : std::exchange(closing_, {})) ucp_request_free(request);
}

void UcxConnections::on_error(void* self, ucp_ep_h endpoint, ucs_status_t status) {
  auto& connections = *static_cast<UcxConnections*>(self);
  for (int peer = 0; peer < connections.size(); ++peer) {
    if (connections.endpoint(peer) != endpoint) continue;
    connections.ended_peers_[static_cast<std::size_t>(peer)] = true;
    connections.ended_(peer, status);
  }
}

}  // namespace cuboid::detail
