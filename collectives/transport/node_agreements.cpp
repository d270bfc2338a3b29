#include "collectives/transport/node_agreements.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

// Of two processes with a core each, both copy at once through memory that they share, which from
// here on is quicker than one that reads. With more processes one sender would copy for all
// receivers.
constexpr std::size_t longest_between_two_cores = 16 << 10;

/// Whether all ranks of this node say yes. Collective over the bootstrap.
bool whole_node_says(Bootstrap& bootstrap, const std::vector<int>& here, bool mine) {
  const std::byte answer{mine ? std::uint8_t{1} : std::uint8_t{0}};
  const auto answers = bootstrap.allgather(std::span(&answer, 1));
  return std::all_of(here.begin(), here.end(), [&answers](int rank) {
    return answers[static_cast<std::size_t>(rank)][0] == std::byte{1};
  });
}

bool wants_mailboxes(const Introductions& ranks, const std::vector<int>& here, WaitPolicy policy) {
  std::set<std::int64_t> processes;
  for (const int peer : here) processes.insert(ranks.memory(peer).process);
  return here.size() > 1 && processes.size() == here.size() && policy.spins > 0;
}

bool agree_on_single_copies(Bootstrap& bootstrap, const Introductions& ranks,
                            const Logger& logger) {
  const std::vector<int> here = ranks.ranks_of_node(bootstrap.rank());
  const bool readable =
      std::all_of(here.begin(), here.end(), [&](int peer) { return can_read(ranks.memory(peer)); });
  const bool all_readable = whole_node_says(bootstrap, here, readable);
  if (!all_readable && bootstrap.rank() == here.front()) {
    logger.warn(
        "ranks on this node may not read each other's memory, so long messages are copied twice; "
        "allow process_vm_readv (in containers: the capability SYS_PTRACE and one PID namespace)");
  }
  return all_readable;
}

std::optional<ShortMessages> open_mailboxes(Bootstrap& bootstrap, const Introductions& ranks,
                                            WaitPolicy policy, const Logger& logger) {
  const std::vector<int> here = ranks.ranks_of_node(bootstrap.rank());
  const auto senders = static_cast<int>(here.size());
  const auto warn = [&logger](const Error& problem) {
    logger.warn(
        fmt::format("{}; short messages take longer (in containers: give the ranks one "
                    "PID namespace and the capability SYS_PTRACE)",
                    problem.what()));
  };
  std::optional<Mailbox> mine;
  Mailbox::Place place;
  if (wants_mailboxes(ranks, here, policy)) {
    try {
      mine = Mailbox::create(senders);
      place = mine->place();
    } catch (const Error& error) {
      warn(error);
    }
  }
  const auto places = bootstrap.allgather(std::as_bytes(std::span(&place, 1)));
  const auto place_of = [&places](std::size_t peer) {
    Mailbox::Place its;
    std::memcpy(&its, places[peer].data(), sizeof its);
    return its;
  };
  bool any = false;
  for (std::size_t peer = 0; peer < places.size(); ++peer)
    any = any || place_of(peer).descriptor >= 0;
  if (!any) return std::nullopt;  // which all other ranks see as well

  const bool all_here = std::all_of(here.begin(), here.end(), [&place_of](int peer) {
    return place_of(static_cast<std::size_t>(peer)).descriptor >= 0;
  });
  std::vector<Mailbox> mailboxes;
  bool mapped = all_here;
  try {
    for (const int peer : here) {
      if (all_here && peer != bootstrap.rank())
        mailboxes.push_back(Mailbox::map(place_of(static_cast<std::size_t>(peer)), senders));
    }
  } catch (const Error& error) {
    warn(error);
    mapped = false;
  }
  if (!whole_node_says(bootstrap, here, mapped)) return std::nullopt;
  mine->close();
  const auto own = std::find(here.begin(), here.end(), bootstrap.rank()) - here.begin();
  mailboxes.insert(mailboxes.begin() + own, std::move(*mine));
  return ShortMessages(std::move(mailboxes), static_cast<int>(own));
}

}  // namespace

NodeWays agree_on_ways(Bootstrap& bootstrap, const Introductions& ranks, WaitPolicy policy,
                       const Logger& logger) {
  if (ranks.one_rank_per_node()) return {};  // as all ranks see
  const bool readable = agree_on_single_copies(bootstrap, ranks, logger);
  NodeWays ways{.short_messages = open_mailboxes(bootstrap, ranks, policy, logger)};
  if (!readable) return ways;
  // All ranks of a node have mailboxes, or none has: these are processes with a core each.
  const bool two_cores = ways.short_messages && ranks.ranks_of_node(bootstrap.rank()).size() == 2;
  ways.pipe = two_cores;
  ways.longest_single_copy =
      two_cores ? longest_between_two_cores : std::numeric_limits<std::size_t>::max();
  return ways;
}

}  // namespace cuboid::detail
