#include "collectives/transport/silent_ranks.hpp"

#include <fmt/format.h>

namespace cuboid::detail {

std::string silent_ranks(Transport& transport, const Group& group) {
  std::string text;
  for (const int peer : transport.peers().silent_among(group.world_ranks()))
    text += fmt::format("; {} on {} does not answer", group.name(peer), transport.host(peer));
  if (!text.empty()) return text;
  if (const auto cause = transport.peers().await_cause())
    text = fmt::format("; {} {}", group.name(cause->rank), cause->did);
  return text;
}

std::string nothing_moved(Transport& transport, const Group& group, std::string_view waiting_for) {
  return fmt::format("nothing moved for {} s{}; waiting for {}; set CUBOID_TIMEOUT to wait longer",
                     transport.environment().timeout.count(), silent_ranks(transport, group),
                     waiting_for);
}

}  // namespace cuboid::detail
