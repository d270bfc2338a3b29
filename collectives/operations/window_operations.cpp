#include "collectives/operations/window_operations.hpp"

#include <cuboid/error.hpp>

#include "collectives/communicator/communicator_state.hpp"
#include "collectives/transport/reclaim_buffers.hpp"

#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

WindowOperations::WindowOperations(const Communicator& communicator)
    : communicator_(communicator), touched_(static_cast<std::size_t>(communicator.size())) {}

Transport& WindowOperations::transport() const {
  return communicator_.state().transport();
}

void WindowOperations::started(const char* what, int peer, std::size_t bytes,
                               const RemoteOperation& operation) {
  if (std::holds_alternative<std::monostate>(operation)) return;
  if (const Served* const one = std::get_if<Served>(&operation)) {
    served_.push_back(*one);
  } else {
    const RemoteRequest& request = *std::get<Network>(operation);
    if (request.failed()) {
      throw Error(ErrorCode::peer_failed,
                  fmt::format("{}: window: a {} at {} failed: {}", name(communicator_.rank()), what,
                              name(peer), request.reason()));
    }
    started_since_ = true;
  }
  under_way_ += bytes;
  touched_[static_cast<std::size_t>(peer)] = true;
}

bool WindowOperations::complete() {
  end_flush();
  if (!flush_ && started_since_) {
    flush_ = transport().carrier().flush();
    started_since_ = false;
    end_flush();
  }
  drop_complete();
  if (flush_ || !served_.empty()) return false;
  if (under_way_ == 0) return true;
  require_connected();
  touched_.assign(touched_.size(), false);
  under_way_ = 0;
  gets_.clear();
  return true;
}

bool WindowOperations::complete(GetNumber number) {
  const auto get = gets_.find(number);
  if (get == gets_.end()) return true;
  if (const Served* const operation = std::get_if<Served>(&get->second)) {
    require_possible(**operation);
    if (!(*operation)->complete()) return false;
    gets_.erase(get);
    return true;
  }
  const RemoteRequest& request = *std::get<Network>(get->second);
  if (request.done()) {
    gets_.erase(get);
    return true;
  }
  if (!request.failed() && !lost_peer()) return false;
  // The other operations under way end first.
  const std::string reason = request.reason();
  if (!complete()) return false;
  throw Error(ErrorCode::peer_failed,
              fmt::format("{}: window: a get failed: {}", name(communicator_.rank()), reason));
}

void WindowOperations::give_up() {
  if (flush_ || started_since_)
    transport().peers().quarantine("puts and gets of a window do not end");
  std::vector<PendingTransfer*> transfers;
  for (const Served& operation : served_) {
    if (operation->pending()) transfers.push_back(operation.get());
  }
  reclaim_buffers(transport(), transfers, "a window");
  served_.clear();
  flush_.reset();
  started_since_ = false;
  touched_.assign(touched_.size(), false);
  under_way_ = 0;
  gets_.clear();
}

std::string WindowOperations::name(int rank) const {
  const Group& group = *communicator_.state().group;
  return group.name(group.world_rank(rank));
}

std::string WindowOperations::touched_peers() const {
  std::vector<std::string> peers;
  for (int peer = 0; peer < communicator_.size(); ++peer) {
    if (touched_[static_cast<std::size_t>(peer)]) peers.push_back(name(peer));
  }
  return fmt::format("{}", fmt::join(peers, ", "));
}

void WindowOperations::drop_complete() {
  while (!served_.empty() && served_.back()->complete()) served_.pop_back();
  if (served_.empty()) return;
  require_possible(*served_.back());
  if (std::exchange(failures_seen_, transport().peers().failures()) == failures_seen_) return;
  for (const Served& operation : served_) require_possible(*operation);
}

void WindowOperations::require_possible(const MemoryExchange::RemoteAccess& operation) const {
  if (operation.complete()) return;
  Peers& peers = transport().peers();
  if (!peers.good(operation.peer)) throw_lost(peers.missed(operation.peer));
  if (operation.failed()) throw_lost({operation.peer, operation.reason()});
}

void WindowOperations::throw_lost(const Peers::Failure& failure) const {
  const Group& group = *communicator_.state().group;
  throw Error(ErrorCode::peer_failed,
              fmt::format("{}: window: puts and gets are lost: {} {}",
                          group.name(transport().rank()), group.name(failure.rank), failure.did));
}

void WindowOperations::end_flush() {
  if (flush_ && flush_->failed()) {
    throw Error(ErrorCode::peer_failed,
                fmt::format("{}: window flush: puts or gets at {} failed: {}",
                            name(communicator_.rank()), touched_peers(), flush_->reason()));
  }
  if (flush_ && flush_->done()) flush_.reset();
}

// If a connection ends, the network ends a flush without an error.
void WindowOperations::require_connected() const {
  const std::optional<int> peer = lost_peer();
  if (!peer) return;
  const int world_rank = communicator_.state().group->world_rank(*peer);
  throw_lost(transport().peers().missed(world_rank));
}

std::optional<int> WindowOperations::lost_peer() const {
  const Group& group = *communicator_.state().group;
  for (int peer = 0; peer < group.size(); ++peer) {
    if (touched_[static_cast<std::size_t>(peer)] &&
        !transport().peers().connected(group.world_rank(peer)))
      return peer;
  }
  return std::nullopt;
}

}  // namespace cuboid::detail
