#pragma once

namespace cuboid::detail {

/// UCX numbers of the transport's own messages.
inline constexpr unsigned notice_id = 0;  ///< a rank leaves, gives up, or has seen another fail
inline constexpr unsigned taken_id = 1;   ///< an offer was taken
inline constexpr unsigned wake_id = 2;    ///< there is something in the mailbox

}  // namespace cuboid::detail
