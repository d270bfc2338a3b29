#include "collectives/transport/connections.hpp"

#include <utility>

#include <sched.h>

namespace cuboid::detail {

Connections::Connections(ucp_worker_h worker, std::vector<std::vector<std::byte>> addresses,
                         Ended ended)
    : worker_(worker), ended_(std::move(ended)) {
  for (auto& address : addresses) peers_.push_back({.address = std::move(address)});
}

ucs_status_t Connections::open(int peer) {
  // UCX answers over the connection that came from the peer. Where that has just broken, its end is
  // still to be seen to, and UCX 1.13 aborts if it is in use again by then.
  constexpr int turns = 100;
  for (int turn = 0; turn < turns && ucp_worker_progress(worker_) != 0; ++turn) continue;
  Peer& to = peers_[static_cast<std::size_t>(peer)];
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address = reinterpret_cast<const ucp_address_t*>(to.address.data());
  parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  parameters.err_handler.cb = &Connections::on_error;
  parameters.err_handler.arg = this;
  const ucs_status_t status = ucp_ep_create(worker_, &parameters, &to.endpoint);
  if (status != UCS_OK) to.endpoint = nullptr;
  return status;
}

void Connections::close(int peer, std::vector<void*>& requests) {
  constexpr unsigned after_flush = 0;
  close(peer, after_flush, requests);
}

void Connections::cut(int peer, std::vector<void*>& requests) {
  close(peer, UCP_EP_CLOSE_FLAG_FORCE, requests);
}

void Connections::close(int peer, unsigned flags, std::vector<void*>& requests) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = flags;
  ucp_ep_h& endpoint = peers_[static_cast<std::size_t>(peer)].endpoint;
  requests.push_back(ucp_ep_close_nbx(std::exchange(endpoint, nullptr), &parameters));
}

bool Connections::settle(std::vector<void*>& requests, std::chrono::duration<double> patience) {
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::nanoseconds>(patience);
  bool all_done = true;
  for (void* request : requests) {
    if (!UCS_PTR_IS_PTR(request)) continue;
    while (ucp_request_check_status(request) == UCS_INPROGRESS &&
           std::chrono::steady_clock::now() < until) {
      if (ucp_worker_progress(worker_) == 0) sched_yield();
    }
    all_done = all_done && ucp_request_check_status(request) != UCS_INPROGRESS;
    ucp_request_free(request);
  }
  requests.clear();
  return all_done;
}

void Connections::on_error(void* self, ucp_ep_h endpoint, ucs_status_t status) {
  auto& connections = *static_cast<Connections*>(self);
  for (int peer = 0; peer < connections.size(); ++peer) {
    if (connections.endpoint(peer) != endpoint) continue;
    connections.peers_[static_cast<std::size_t>(peer)].ended = true;
    connections.ended_(peer, status);
  }
}

}  // namespace cuboid::detail
