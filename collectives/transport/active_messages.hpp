#pragma once

#include "collectives/transport/ucx_status.hpp"

#include <ucp/api/ucp.h>

namespace cuboid::detail {

/// UCX numbers of the transport's own messages.
inline constexpr unsigned notice_id = 0;  ///< a rank leaves, gives up, or has seen another fail
inline constexpr unsigned acknowledgement_id = 1;  ///< a request to send was served
inline constexpr unsigned wake_id = 2;             ///< there is something in the mailbox
inline constexpr unsigned memory_request_id = 3;  ///< a put or get, for the memory's owner to serve
inline constexpr unsigned memory_answer_id = 4;   ///< a put was served, or a request was refused

/// Has UCX call `callback(self, …)` for messages of this number.
inline void handle_messages(ucp_worker_h worker, unsigned id, ucp_am_recv_callback_t callback,
                            void* self) {
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                       UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = id;
  handler.cb = callback;
  handler.arg = self;
  require(ucp_worker_set_am_recv_handler(worker, &handler), "setting a message handler");
}

}  // namespace cuboid::detail
