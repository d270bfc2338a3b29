#include "collectives/transport/messages.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

// From this length on, one copy and two short messages take less time than two copies.
constexpr std::size_t shortest_single_copy = 8 << 10;
constexpr std::chrono::seconds send_patience{3};

[[noreturn]] void throw_failed(const Peers::Failure& failure) {
  throw Error(ErrorCode::peer_failed, fmt::format("rank {} {}", failure.rank, failure.did));
}

}  // namespace

Messages::Messages(Peers& peers, const PeerInformation& peer_information, NodeWays ways)
    : peers_(peers),
      carrier_(peers.carrier()),
      readable_(ways.readable),
      node_messages_(std::move(ways.messages)),
      here_(peer_information.ranks_of_node(peers.rank())),
      partner_of_(static_cast<std::size_t>(peer_information.size()), 0) {
  for (std::size_t place = 0; place < here_.size(); ++place) {
    const int peer = here_[place];
    Partner& neighbour = make(peer);
    neighbour.on_node = true;
    neighbour.process = peer_information.memory(peer).process;
    if (node_messages_ && peer != peers.rank()) neighbour.place = static_cast<int>(place);
  }
  if (node_messages_)
    node_messages_->tell_of_entries(
        [this](int place) { wake_if_asleep(here_[static_cast<std::size_t>(place)]); });
  carrier_.listen(ControlMessage::acknowledgement, {&Messages::on_acknowledgement, this});
}

Messages::Partner& Messages::make(int peer) {
  std::uint32_t& number = partner_of_[static_cast<std::size_t>(peer)];
  if (number == 0) {
    number = static_cast<std::uint32_t>(partners_.size());
    partners_.emplace_back();
  }
  return partners_[number];
}

bool Messages::in_node(int peer, std::size_t bytes) const {
  return place(peer) >= 0 && node_messages_->carries(bytes);
}

void Messages::count_sent(int peer, std::size_t bytes, std::size_t messages) {
  Traffic& traffic = make(peer).traffic;
  traffic.bytes_sent += bytes;
  traffic.messages_sent += messages;
}

void Messages::count_received(int peer, std::size_t bytes, std::size_t messages) {
  Traffic& traffic = make(peer).traffic;
  traffic.bytes_received += bytes;
  traffic.messages_received += messages;
}

// True if the carrier announces the message by a request to send instead of carrying its data.
bool Messages::is_requested(int peer, std::size_t bytes) const {
  if (!at(peer).on_node || !readable_) return false;
  // A message of the length of a request to send could be mistaken for one.
  return bytes >= shortest_single_copy || bytes == sizeof(RequestToSend);
}

bool Messages::send(int peer, const void* data, std::size_t bytes, Tag tag,
                    PendingTransfer& transfer) {
  if (!peers_.good(peer)) throw_failed(peers_.missed(peer));
  transfer.messages = this;
  transfer.peer = peer;
  transfer.receiving = false;
  transfer.bytes = bytes;
  transfer.cancelled = transfer.held = false;
  transfer.ended = &Messages::sent;
  peers_.connect(peer);  // so that the peer notices when this rank leaves; may throw
  if (in_node(peer, bytes)) {
    const bool sent = node_messages_->send(place(peer), data, bytes, tag.packed(), transfer);
    count_sent(peer, bytes);
    return sent;
  }
  transfer.unacknowledged = is_requested(peer, bytes);
  if (transfer.unacknowledged) {
    transfer.send_request = send_requests_.open(transfer, data, bytes);
    data = &transfer.send_request;
    bytes = sizeof transfer.send_request;
  }
  const Outcome outcome = carrier_.send(peer, data, bytes, tag.packed(), transfer);
  if (outcome.state == Outcome::State::failed) {
    if (std::exchange(transfer.unacknowledged, false))
      send_requests_.withdraw(transfer.send_request.slot);
    peers_.fail(peer, outcome.reason);
    throw_failed(*peers_.failure(peer));
  }
  if (place(peer) >= 0 && !carrier_.wakes()) wake_if_asleep(peer);
  count_sent(peer, transfer.bytes);
  return !transfer.pending();
}

bool Messages::send_at_once(int peer, const void* data, std::size_t bytes, Tag tag) {
  if (place(peer) < 0 || !peers_.is_open(peer)) return false;
  if (!node_messages_->send_at_once(place(peer), data, bytes, tag.packed())) return false;
  count_sent(peer, bytes);
  return true;
}

bool Messages::receive_at_once(int peer, void* data, std::size_t bytes, Tag tag) {
  if (place(peer) < 0 || peers_.failed(peer)) return false;
  if (!node_messages_->receive_at_once(place(peer), data, bytes, tag.packed())) return false;
  count_received(peer, bytes);
  return true;
}

void Messages::remove_served(std::vector<int>& peers) {
  if (carrier_.stays_behind())
    std::erase_if(peers, [this](int peer) { return carrier_.has_left(peer); });
  else
    peers.clear();
}

void Messages::sent(PendingTransfer& transfer, Outcome outcome) {
  Messages& self = *transfer.messages;
  if (outcome.state == Outcome::State::complete) {
    if (!transfer.unacknowledged) transfer.done(transfer, TransferStatus::complete);
    return;
  }
  if (std::exchange(transfer.unacknowledged, false))
    self.send_requests_.withdraw(transfer.send_request.slot);
  const bool cancelled = outcome.state == Outcome::State::cancelled;
  if (!cancelled) self.peers_.fail(transfer.peer, outcome.reason);
  transfer.done(transfer, cancelled ? TransferStatus::cancelled : TransferStatus::failed);
}

bool Messages::receive(int peer, void* data, std::size_t bytes, Tag tag,
                       PendingTransfer& transfer) {
  if (peers_.failed(peer)) throw_failed(*peers_.failure(peer));
  transfer.messages = this;
  transfer.peer = peer;
  transfer.receiving = true;
  transfer.bytes = bytes;
  transfer.destination = nullptr;
  transfer.cancelled = false;
  transfer.ended = &Messages::arrived;
  if (in_node(peer, bytes)) {
    // The connection is for the answer, which may have to wake the sender.
    if (bytes > MailboxEntry::capacity && peers_.good(peer)) peers_.connect(peer);
    const auto outcome = node_messages_->receive(place(peer), data, bytes, tag.packed(), transfer);
    if (!outcome) peers_.watch(peer);
    if (outcome == Outcome::State::complete) return finish_receive(transfer, land(transfer));
    return outcome && finish_receive(transfer, TransferStatus::wrong_length);
  }
  if (is_requested(peer, bytes)) {
    // The connection is for the acknowledgement. UCX's TCP crashes if a connection is opened from
    // inside a callback.
    if (peers_.good(peer)) peers_.connect(peer);
    transfer.destination = data;
    data = &transfer.send_request;
    bytes = sizeof transfer.send_request;
  }
  const Outcome outcome = carrier_.receive(peer, data, bytes, tag.packed(), transfer);
  switch (outcome.state) {
    case Outcome::State::under_way: peers_.watch(peer); return false;
    case Outcome::State::complete: return finish_receive(transfer, land(transfer));
    case Outcome::State::wrong_length:
      return finish_receive(transfer, TransferStatus::wrong_length);
    default:
      throw Error(ErrorCode::internal,
                  fmt::format("a receive of {} bytes from rank {} cannot be posted: {}",
                              transfer.bytes, peer, outcome.reason));
  }
}

bool Messages::finish_receive(const PendingTransfer& transfer,
                              std::optional<TransferStatus> outcome) {
  const int peer = transfer.peer;
  if (outcome == TransferStatus::wrong_length) {
    throw Error(ErrorCode::mismatch,
                fmt::format("expected {} bytes from rank {}, which sent another number: the ranks "
                            "disagree about the "
                            "operation; compare counts, types and the order of calls",
                            transfer.bytes, peer));
  }
  if (outcome == TransferStatus::withdrawn) throw_failed(withdrawal(peer));
  if (outcome == TransferStatus::failed) throw_failed(*peers_.failure(peer));
  return outcome.has_value();
}

void Messages::arrived(PendingTransfer& transfer, Outcome outcome) {
  Messages& self = *transfer.messages;
  std::optional<TransferStatus> status;
  switch (outcome.state) {
    case Outcome::State::cancelled: status = TransferStatus::cancelled; break;
    case Outcome::State::wrong_length: status = TransferStatus::wrong_length; break;
    case Outcome::State::withdrawn: status = TransferStatus::withdrawn; break;
    case Outcome::State::failed:
      self.peers_.fail(transfer.peer, outcome.reason);
      status = TransferStatus::failed;
      break;
    default: status = self.land(transfer);
  }
  if (status) transfer.done(transfer, *status);
}

// Ends a receive whose message has arrived. Returns how it ended; nullopt if the sender's memory
// has been read but the acknowledgement is still being sent.
std::optional<TransferStatus> Messages::land(PendingTransfer& transfer) {
  if (transfer.destination == nullptr) {
    count_received(transfer.peer, transfer.bytes);
    return TransferStatus::complete;
  }
  if (transfer.send_request.bytes != transfer.bytes) return TransferStatus::wrong_length;
  switch (read_requested(at(transfer.peer).process, transfer.send_request, transfer.destination)) {
    case ReadResult::complete: break;
    case ReadResult::withdrawn: return TransferStatus::withdrawn;
    case ReadResult::failed:
      peers_.fail(transfer.peer, std::strerror(errno));
      return TransferStatus::failed;
  }
  // The receive is complete only when the acknowledgement is sent, since the sender waits for it.
  transfer.ended = &Messages::sent;
  // The carrier calls this function from C code, which no exception may cross.
  const Outcome word =
      carrier_.is_open(transfer.peer)
          ? carrier_.send_control(transfer.peer, ControlMessage::acknowledgement,
                                  std::as_bytes(std::span(&transfer.send_request, 1)), "",
                                  &transfer)
          : Outcome::failure("its connection was given up since the receive was posted");
  if (word.state == Outcome::State::failed) {
    peers_.fail(transfer.peer, word.reason);
    return TransferStatus::failed;
  }
  count_received(transfer.peer, transfer.bytes);
  if (word.state == Outcome::State::under_way) return std::nullopt;
  return TransferStatus::complete;
}

void Messages::on_acknowledgement(void* self, std::span<const std::byte> header, std::string_view) {
  RequestToSend request;
  if (header.size() != sizeof request) return;
  std::memcpy(&request, header.data(), sizeof request);
  auto& messages = *static_cast<Messages*>(self);
  PendingTransfer* const transfer =
      messages.send_requests_.acknowledge(request.slot, request.ticket);
  if (transfer == nullptr) return;  // withdrawn while it was read
  transfer->unacknowledged = false;
  if (transfer->request == nullptr) transfer->done(*transfer, TransferStatus::complete);
}

bool Messages::has_mismatched_message(int peer, std::size_t bytes, Tag tag) {
  if (place(peer) < 0) return false;
  if (in_node(peer, bytes)) return carrier_.has_come(peer, tag.packed());
  return node_messages_->holds(place(peer), tag.packed());
}

// A rank that sleeps looks into its mailbox only now and then, so senders wake it.
void Messages::wake_if_asleep(int peer) {
  if (carrier_.wakes()) {
    if (node_messages_->asleep(place(peer))) peers_.send_control(peer, ControlMessage::wake, {});
    return;
  }
  // The entry must be visible before this rank looks if the peer sleeps: nothing else would wake
  // the peer.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (node_messages_->asleep(place(peer))) node_messages_->wake(place(peer));
}

void Messages::cancel(PendingTransfer& transfer) {
  if (transfer.in_mailbox) node_messages_->cancel(transfer);
  if (transfer.unacknowledged) requests_to_end_ = transfer.cancelled = true;
  if (transfer.request != nullptr) carrier_.cancel(transfer);
}

void Messages::lose_neighbours() {
  for (const int peer : here_) {
    if (place(peer) >= 0 && !peers_.good(peer)) node_messages_->lose(place(peer));
  }
}

// Takes back requests to peers that are gone, and requests that were cancelled.
void Messages::end_send_requests() {
  requests_to_end_ = false;
  const auto now = Clock::now();
  for (PendingTransfer* const transfer : send_requests_.standing()) {
    const bool failed = !peers_.good(transfer->peer);
    if (!failed && !transfer->cancelled) continue;
    if (now < transfer->send_request.made + request_stands) {
      requests_to_end_ = true;
      continue;
    }
    send_requests_.withdraw(transfer->send_request.slot);
    transfer->unacknowledged = false;
    if (transfer->request != nullptr || transfer->in_mailbox) continue;
    transfer->done(*transfer, failed ? TransferStatus::failed : TransferStatus::cancelled);
  }
}

bool Messages::progress() {
  // This comes after the carrier's progress. The carrier may report that a rank has left, and what
  // that rank sent before still counts.
  bool moved = node_messages_ && node_messages_->progress();
  if (failures_seen_ != peers_.failures()) {
    failures_seen_ = peers_.failures();
    lose_neighbours();
    requests_to_end_ = true;
  }
  if (requests_to_end_) end_send_requests();
  return moved;
}

Peers::Failure Messages::withdrawal(int peer) const {
  return {peer, fmt::format("on {} withdrew a message before it was read", peers_.host(peer))};
}

void Messages::send_rest() {
  if (!node_messages_) return;
  const auto until = Clock::now() + send_patience;
  const auto waits = [this] {
    return std::ranges::any_of(here_, [this](int peer) {
      return place(peer) >= 0 && peers_.good(peer) && node_messages_->sending_to(place(peer));
    });
  };
  while (waits() && Clock::now() < until) {
    carrier_.progress();
    progress();
  }
}

void Messages::drop_unmatched() {
  carrier_.drop_unmatched(send_patience);
}

}  // namespace cuboid::detail
