#include "collectives/transport/messages.hpp"

#include <cuboid/error.hpp>

#include "collectives/transport/active_messages.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

// Where one copy and two short messages take less time than two copies.
constexpr std::size_t shortest_single_copy = 8 << 10;
constexpr std::chrono::seconds send_patience{3};

std::size_t message_bytes(const PendingTransfer& transfer) {
  return transfer.destination == nullptr ? transfer.bytes : sizeof transfer.send_request;
}

[[noreturn]] void throw_failed(const Peers::Failure& failure) {
  throw Error(ErrorCode::peer_failed, fmt::format("rank {} {}", failure.rank, failure.did));
}

}  // namespace

Messages::Messages(Peers& peers, const std::vector<Introduction>& introductions, NodeWays ways)
    : peers_(peers),
      worker_(peers.connections().worker()),
      single_copies_(ways.single_copies),
      short_messages_(std::move(ways.short_messages)),
      partners_(introductions.size()) {
  const std::vector<int> here = ranks_of_node(introductions, peers.rank());
  for (std::size_t place = 0; place < here.size(); ++place) {
    Partner& neighbour = at(here[place]);
    neighbour.on_node = true;
    neighbour.process = introductions[static_cast<std::size_t>(here[place])].memory.process;
    if (short_messages_ && here[place] != peers.rank()) neighbour.place = static_cast<int>(place);
  }
  handle_messages(worker_, acknowledgement_id, &Messages::on_acknowledgement, this);
  const auto that_it_came_is_all_it_says = [](void*, const void*, std::size_t, void*, std::size_t,
                                              const ucp_am_recv_param_t*) { return UCS_OK; };
  handle_messages(worker_, wake_id, that_it_came_is_all_it_says, this);
}

bool Messages::in_mailbox(int peer, std::size_t bytes, Tag tag) const {
  // A message under a tag of the caller's may follow a longer one of that tag.
  return bytes <= ShortMessage::longest && place(peer) >= 0 &&
         (tag.channel & Tag::point_to_point) == 0;
}

void Messages::count_sent(int peer, std::size_t bytes) {
  Traffic& traffic = at(peer).traffic;
  traffic.bytes_sent += bytes;
  ++traffic.messages_sent;
}

void Messages::count_received(int peer, std::size_t bytes) {
  Traffic& traffic = at(peer).traffic;
  traffic.bytes_received += bytes;
  ++traffic.messages_received;
}

bool Messages::single_copy(int peer, std::size_t bytes) const {
  // What is as long as a request to send could be taken for one.
  const bool is_requested = bytes >= shortest_single_copy || bytes == sizeof(RequestToSend);
  return is_requested && at(peer).on_node && single_copies_;
}

bool Messages::send(int peer, const void* data, std::size_t bytes, Tag tag,
                    PendingTransfer& transfer) {
  if (!peers_.good(peer)) throw_failed(peers_.missed(peer));
  transfer.messages = this;
  transfer.peer = peer;
  transfer.receiving = false;
  transfer.bytes = bytes;
  transfer.cancelled = false;
  if (in_mailbox(peer, bytes, tag)) {
    peers_.endpoint(peer);  // by which it hears when this rank leaves
    const bool sent = short_messages_->send(place(peer), data, bytes, tag.packed(), transfer);
    if (short_messages_->asleep(place(peer))) wake(peer);
    count_sent(peer, bytes);
    return sent;
  }
  const ucp_ep_h to = peers_.endpoint(peer);  // which may throw: before anything is requested
  transfer.unacknowledged = single_copy(peer, bytes);
  if (transfer.unacknowledged) {
    transfer.send_request = send_requests_.open(transfer, data, bytes);
    data = &transfer.send_request;
    bytes = sizeof transfer.send_request;
  }
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.cb.send = &Messages::sent;
  parameters.user_data = &transfer;
  void* const request = ucp_tag_send_nbx(to, data, bytes, tag.packed(), &parameters);
  if (UCS_PTR_IS_ERR(request)) {
    if (std::exchange(transfer.unacknowledged, false))
      send_requests_.withdraw(transfer.send_request.slot);
    peers_.fail(peer, ucs_status_string(UCS_PTR_STATUS(request)));
    throw_failed(*peers_.failure(peer));
  }
  count_sent(peer, transfer.bytes);
  transfer.request = request;
  return !transfer.pending();
}

void Messages::sent(void* request, ucs_status_t status, void* user) {
  ucp_request_free(request);
  auto& transfer = *static_cast<PendingTransfer*>(user);
  Messages& self = *transfer.messages;
  transfer.request = nullptr;
  if (status == UCS_OK) {
    if (!transfer.unacknowledged) transfer.done(transfer, TransferStatus::complete);
    return;
  }
  if (std::exchange(transfer.unacknowledged, false))
    self.send_requests_.withdraw(transfer.send_request.slot);
  const bool cancelled = status == UCS_ERR_CANCELED;
  if (!cancelled) self.peers_.fail(transfer.peer, ucs_status_string(status));
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
  if (in_mailbox(peer, bytes, tag)) {
    const auto outcome = short_messages_->receive(place(peer), data, bytes, tag.packed(), transfer);
    if (!outcome) peers_.watch(peer);
    count_received(peer, bytes);  // or it will be, unless the collective fails
    return finish_receive(transfer, outcome);
  }
  if (single_copy(peer, bytes)) {
    // For the acknowledgement. UCX's TCP crashes where a connection is opened from inside a
    // callback.
    if (peers_.good(peer)) peers_.endpoint(peer);
    transfer.destination = data;
    data = &transfer.send_request;
    bytes = sizeof transfer.send_request;
  }

  transfer.arrival = Arrival::posting;
  ucp_request_param_t parameters{};
  // UCX tells the length of a message that was already there only through the callback.
  parameters.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  parameters.cb.recv = [](void* message, ucs_status_t status, const ucp_tag_recv_info_t* received,
                          void* user) {
    auto& arrived = *static_cast<PendingTransfer*>(user);
    if (arrived.arrival == Arrival::posting) {
      const bool right = status == UCS_OK && received->length == message_bytes(arrived);
      arrived.arrival = right ? Arrival::right : Arrival::wrong;
      return;
    }
    ucp_request_free(message);
    arrived.request = nullptr;
    arrived.messages->arrived(arrived, status, received->length);
  };
  parameters.user_data = &transfer;
  constexpr std::uint64_t whole_tag = ~std::uint64_t{0};
  void* const request =
      ucp_tag_recv_nbx(worker_, data, bytes, tag.packed(), whole_tag, &parameters);
  const Arrival arrival = std::exchange(transfer.arrival, Arrival::later);
  if (UCS_PTR_IS_ERR(request)) {
    throw Error(ErrorCode::internal,
                fmt::format("a receive of {} bytes from rank {} cannot be posted: UCX: {}",
                            transfer.bytes, peer, ucs_status_string(UCS_PTR_STATUS(request))));
  }
  if (arrival == Arrival::posting) {
    transfer.request = request;
    peers_.watch(peer);
    return false;
  }
  if (request != nullptr) ucp_request_free(request);
  const auto outcome =
      arrival == Arrival::right ? land(transfer) : std::optional(TransferStatus::wrong_length);
  return finish_receive(transfer, outcome);
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

void Messages::arrived(PendingTransfer& transfer, ucs_status_t status, std::size_t bytes) {
  std::optional<TransferStatus> outcome;
  if (status == UCS_ERR_CANCELED) {
    outcome = TransferStatus::cancelled;
  } else if (status == UCS_ERR_MESSAGE_TRUNCATED ||
             (status == UCS_OK && bytes != message_bytes(transfer))) {
    outcome = TransferStatus::wrong_length;
  } else if (status != UCS_OK) {
    peers_.fail(transfer.peer, ucs_status_string(status));
    outcome = TransferStatus::failed;
  } else {
    outcome = land(transfer);
  }
  if (outcome) transfer.done(transfer, *outcome);
}

// Ends a receive whose message is there. Returns how; nullopt where the sender's memory has been
// read and the acknowledgement is still on its way.
std::optional<TransferStatus> Messages::land(PendingTransfer& transfer) {
  void* word = nullptr;
  if (transfer.destination != nullptr) {
    if (transfer.send_request.bytes != transfer.bytes) return TransferStatus::wrong_length;
    switch (
        read_requested(at(transfer.peer).process, transfer.send_request, transfer.destination)) {
      case ReadResult::complete: break;
      case ReadResult::withdrawn: return TransferStatus::withdrawn;
      case ReadResult::failed:
        peers_.fail(transfer.peer, std::strerror(errno));
        return TransferStatus::failed;
    }
    ucp_request_param_t parameters{};
    parameters.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    parameters.cb.send = &Messages::sent;
    parameters.user_data = &transfer;
    parameters.flags = UCP_AM_SEND_FLAG_EAGER;
    // UCX itself calls this, and knows no exceptions.
    const Connections& connections = peers_.connections();
    if (!connections.is_open(transfer.peer)) {  // given up since the receive was posted
      peers_.fail(transfer.peer, "its connection was given up");
      return TransferStatus::failed;
    }
    word = ucp_am_send_nbx(connections.endpoint(transfer.peer), acknowledgement_id,
                           &transfer.send_request, sizeof transfer.send_request, nullptr, 0,
                           &parameters);
    if (UCS_PTR_IS_ERR(word)) {
      peers_.fail(transfer.peer, ucs_status_string(UCS_PTR_STATUS(word)));
      return TransferStatus::failed;
    }
  }
  count_received(transfer.peer, transfer.bytes);
  if (word == nullptr) return TransferStatus::complete;
  transfer.request = word;
  return std::nullopt;
}

ucs_status_t Messages::on_acknowledgement(void* self, const void* header, std::size_t header_bytes,
                                          void*, std::size_t, const ucp_am_recv_param_t*) {
  RequestToSend request;
  if (header_bytes != sizeof request) return UCS_OK;
  std::memcpy(&request, header, sizeof request);
  auto& messages = *static_cast<Messages*>(self);
  PendingTransfer* const transfer =
      messages.send_requests_.acknowledge(request.slot, request.ticket);
  if (transfer == nullptr) return UCS_OK;  // withdrawn while it was read
  transfer->unacknowledged = false;
  if (transfer->request == nullptr) transfer->done(*transfer, TransferStatus::complete);
  return UCS_OK;
}

bool Messages::has_mismatched_message(int peer, std::size_t bytes, Tag tag) {
  if (place(peer) < 0 || (tag.channel & Tag::point_to_point) != 0) return false;
  if (!in_mailbox(peer, bytes, tag)) return short_messages_->holds(place(peer), tag.packed());
  constexpr std::uint64_t whole_tag = ~std::uint64_t{0};
  constexpr int leave_it = 0;
  ucp_tag_recv_info_t info{};
  return ucp_tag_probe_nb(worker_, tag.packed(), whole_tag, leave_it, &info) != nullptr;
}

// A rank that sleeps looks into its mailbox only now and then.
void Messages::wake(int peer) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_FLAGS;
  parameters.cb.send = [](void* request, ucs_status_t, void*) { ucp_request_free(request); };
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  const void* const nothing = nullptr;
  static_cast<void>(
      ucp_am_send_nbx(peers_.endpoint(peer), wake_id, nothing, 0, nothing, 0, &parameters));
}

void Messages::cancel(PendingTransfer& transfer) {
  if (transfer.in_mailbox) short_messages_->cancel(transfer);
  if (transfer.unacknowledged) requests_to_end_ = transfer.cancelled = true;
  if (transfer.request != nullptr) ucp_request_cancel(worker_, transfer.request);
}

// Takes back requests to send to peers that are gone, and those that were cancelled.
void Messages::end_send_requests() {
  requests_to_end_ = false;
  const auto now = std::chrono::steady_clock::now();
  for (PendingTransfer* const transfer : send_requests_.standing()) {
    const bool failed = !peers_.good(transfer->peer);
    if (!failed && !transfer->cancelled) continue;
    if (now < transfer->send_request.made + request_stands) {
      requests_to_end_ = true;
      continue;
    }
    send_requests_.withdraw(transfer->send_request.slot);
    transfer->unacknowledged = false;
    if (transfer->request != nullptr) continue;
    transfer->done(*transfer, failed ? TransferStatus::failed : TransferStatus::cancelled);
  }
}

bool Messages::progress() {
  // After UCX, which may say that a rank has left: what it sent before counts.
  const bool moved = short_messages_ && short_messages_->progress();
  if (requests_to_end_ || failures_seen_ != peers_.failures()) {
    failures_seen_ = peers_.failures();
    end_send_requests();
  }
  return moved;
}

Peers::Failure Messages::withdrawal(int peer) const {
  return {peer, fmt::format("on {} withdrew a message before it was read", peers_.host(peer))};
}

void Messages::send_rest() {
  if (!short_messages_) return;
  const auto until = std::chrono::steady_clock::now() + send_patience;
  const auto waits = [this] {
    for (int peer = 0; peer < peers_.size(); ++peer) {
      if (place(peer) >= 0 && peers_.good(peer) && short_messages_->sending_to(place(peer)))
        return true;
    }
    return false;
  };
  while (waits() && std::chrono::steady_clock::now() < until) {
    ucp_worker_progress(worker_);
    progress();
  }
}

void Messages::drop_unmatched() {
  constexpr std::uint64_t any_tag = 0;
  ucp_tag_recv_info_t info{};
  while (ucp_tag_message_h message = ucp_tag_probe_nb(worker_, any_tag, any_tag, 1, &info)) {
    std::vector<std::byte> dropped(info.length);
    const ucp_request_param_t parameters{};
    std::vector<void*> requests = {
        ucp_tag_msg_recv_nbx(worker_, dropped.data(), dropped.size(), message, &parameters)};
    if (!peers_.connections().settle(requests, send_patience)) return;
  }
}

}  // namespace cuboid::detail
