#include "collectives/transport/node_agreements.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/simulated.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// True if all ranks of this node say yes. Collective over the bootstrap.
bool whole_node_says(Bootstrap& bootstrap, const std::vector<int>& here, bool mine) {
  const std::byte answer{mine ? std::uint8_t{1} : std::uint8_t{0}};
  const auto answers = bootstrap.allgather(std::span(&answer, 1));
  return std::all_of(here.begin(), here.end(), [&answers](int rank) {
    return answers[static_cast<std::size_t>(rank)][0] == std::byte{1};
  });
}

/// What a rank tells the other ranks of its node.
struct Offer {
  Mailbox::MailboxAddress mailbox;
  bool polls = false;  // the rank polls while it waits, since it has a core of its own
};

/// True if each rank of the node is a process of its own.
bool are_processes(const PeerInformation& ranks, const std::vector<int>& here) {
  std::set<std::int64_t> processes;
  for (const int peer : here) processes.insert(ranks.memory(peer).process);
  return processes.size() == here.size();
}

bool agree_on_single_copies(Bootstrap& bootstrap, const PeerInformation& ranks,
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

std::optional<NodeMessages> open_mailboxes(Bootstrap& bootstrap, const PeerInformation& ranks,
                                           WaitPolicy policy, bool carrier_wakes, bool readable,
                                           const Logger& logger) {
  const std::vector<int> here = ranks.ranks_of_node(bootstrap.rank());
  const auto senders = static_cast<int>(here.size());
  const auto warn = [&logger](const Error& problem) {
    logger.warn(
        fmt::format("{}; messages within the node take longer (in containers: give the ranks one "
                    "PID namespace and the capability SYS_PTRACE)",
                    problem.what()));
  };
  std::optional<Mailbox> mine;
  Offer offer{.mailbox = {}, .polls = policy.spins > 0};
  // A rank whose memory could be read is known: it is not another process with the same number in
  // another PID namespace.
  const bool are_known = readable || are_processes(ranks, here);
  if (here.size() > 1 && are_known && (offer.polls || !carrier_wakes)) {
    try {
      mine = Mailbox::create(senders, SegmentSizes::for_cache(first_level_cache()));
      offer.mailbox = mine->place();
    } catch (const Error& error) {
      warn(error);
    }
  }
  const auto offers = bootstrap.allgather(std::as_bytes(std::span(&offer, 1)));
  const auto offer_of = [&offers](int peer) {
    Offer its;
    std::memcpy(&its, offers[static_cast<std::size_t>(peer)].data(), sizeof its);
    return its;
  };
  bool any = false;
  for (int peer = 0; peer < bootstrap.size(); ++peer)
    any = any || offer_of(peer).mailbox.descriptor >= 0;
  if (!any) return {};  // all other ranks see the same

  const bool all_here = std::ranges::all_of(
      here, [&offer_of](int peer) { return offer_of(peer).mailbox.descriptor >= 0; });
  const bool all_poll =
      std::ranges::all_of(here, [&offer_of](int peer) { return offer_of(peer).polls; });
  std::vector<Mailbox> mailboxes;
  bool mapped = all_here;
  try {
    for (const int peer : here) {
      if (all_here && peer != bootstrap.rank())
        mailboxes.push_back(Mailbox::map(offer_of(peer).mailbox, senders));
    }
  } catch (const Error& error) {
    warn(error);
    mapped = false;
  }
  if (!whole_node_says(bootstrap, here, mapped)) return {};
  mine->close();
  const auto own = std::find(here.begin(), here.end(), bootstrap.rank()) - here.begin();
  mailboxes.insert(mailboxes.begin() + own, std::move(*mine));
  return NodeMessages(std::move(mailboxes), static_cast<int>(own),
                      {.readable = readable, .helped = all_poll});
}

}  // namespace

NodeWays agree_on_ways(Bootstrap& bootstrap, const PeerInformation& ranks, WaitPolicy policy,
                       bool carrier_wakes, const Logger& logger) {
  if (ranks.one_rank_per_node()) return {};  // all ranks see the same
  const bool readable = agree_on_single_copies(bootstrap, ranks, logger);
  return {.readable = readable,
          .messages = open_mailboxes(bootstrap, ranks, policy, carrier_wakes, readable, logger)};
}

// The first rank of the node makes the memory. The threads of its process share it without mapping
// it again: if each thread had a mapping of its own, no tool could relate their accesses.
std::shared_ptr<BoardMemory> agree_on_board(Bootstrap& bootstrap, const PeerInformation& ranks,
                                            const Logger& logger) {
  if (simulated || ranks.one_rank_per_node()) return nullptr;  // all ranks see the same
  using Shared = std::shared_ptr<BoardMemory>;
  struct BoardOffer {
    SharedSegment::SegmentAddress place;
    const Shared* shared = nullptr;  // valid in the process of the first rank
  };
  const std::vector<int> here = ranks.ranks_of_node(bootstrap.rank());
  const int size = static_cast<int>(here.size());
  const bool makes_it = here.size() > 1 && here.front() == bootstrap.rank();
  Shared memory;
  BoardOffer offer;
  std::string problem;
  if (makes_it) {
    try {
      memory = std::make_shared<BoardMemory>(size);
      offer = {memory->place(), &memory};
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  const auto offers = bootstrap.allgather(std::as_bytes(std::span(&offer, 1)));
  if (!makes_it && here.size() > 1) {
    std::memcpy(&offer, offers[static_cast<std::size_t>(here.front())].data(), sizeof offer);
    const bool same_process =
        ranks.memory(here.front()).process == ranks.memory(bootstrap.rank()).process;
    if (offer.shared != nullptr)
      memory = same_process ? *offer.shared : BoardMemory::map(offer.place, size);
  }
  const bool mapped = whole_node_says(bootstrap, here, memory != nullptr);
  if (makes_it && memory) memory->close();
  if (makes_it && !mapped) {
    logger.warn(fmt::format(
        "the ranks on this node cannot share memory for collectives{}{}, which take longer (in "
        "containers: give the ranks one PID namespace and the capability SYS_PTRACE)",
        problem.empty() ? "" : ": ", problem));
  }
  return mapped ? memory : nullptr;
}

}  // namespace cuboid::detail
