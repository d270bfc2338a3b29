// The transport's sends and receives.

#include <cuboid/error.hpp>

#include "collectives/transport/active_messages.hpp"
#include "collectives/transport/transport.hpp"

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

std::size_t message_bytes(const PendingTransfer& transfer) {
  return transfer.destination == nullptr ? transfer.bytes : sizeof transfer.offer;
}

[[noreturn]] void throw_failed(int peer, const std::string& did) {
  throw Error(ErrorCode::peer_failed, fmt::format("rank {} {}", peer, did));
}

}  // namespace

bool Transport::in_mailbox(int peer, std::size_t bytes, Tag tag) const {
  // A message under a number of the caller's may follow a longer one of that number.
  return bytes <= ShortMessage::longest && at(peer).place >= 0 &&
         (tag.channel & Tag::point_to_point) == 0;
}

void Transport::count_sent(int peer, std::size_t bytes) {
  Traffic& traffic = at(peer).traffic;
  traffic.bytes_sent += bytes;
  ++traffic.messages_sent;
}

void Transport::count_received(int peer, std::size_t bytes) {
  Traffic& traffic = at(peer).traffic;
  traffic.bytes_received += bytes;
  ++traffic.messages_received;
}

bool Transport::single_copy(int peer, std::size_t bytes) const {
  // What is as long as an offer could be taken for one.
  const bool is_offered = bytes >= shortest_single_copy || bytes == sizeof(Offer);
  return is_offered && at(peer).single_copy;
}

bool Transport::send(int peer, const void* data, std::size_t bytes, Tag tag,
                     PendingTransfer& transfer) {
  if (at(peer).health != Health::good) throw_failed(peer, missed(peer));
  transfer.transport = this;
  transfer.peer = peer;
  transfer.receiving = false;
  transfer.bytes = bytes;
  transfer.cancelled = false;
  if (in_mailbox(peer, bytes, tag)) {
    endpoint(peer);  // by which it hears when this rank leaves
    const bool sent = short_messages_->send(at(peer).place, data, bytes, tag.packed(), transfer);
    if (short_messages_->asleep(at(peer).place)) wake(peer);
    count_sent(peer, bytes);
    return sent;
  }
  const ucp_ep_h to = endpoint(peer);  // which may fail, when nothing is offered yet
  transfer.offered = single_copy(peer, bytes);
  if (transfer.offered) {
    transfer.offer = offers_.open(transfer, data, bytes);
    data = &transfer.offer;
    bytes = sizeof transfer.offer;
  }
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.cb.send = &Transport::sent;
  parameters.user_data = &transfer;
  void* const request = ucp_tag_send_nbx(to, data, bytes, tag.packed(), &parameters);
  if (UCS_PTR_IS_ERR(request)) {
    if (std::exchange(transfer.offered, false)) offers_.withdraw(transfer.offer.slot);
    peer_failed(peer, ucs_status_string(UCS_PTR_STATUS(request)));
    throw_failed(peer, *failure(peer));
  }
  count_sent(peer, transfer.bytes);
  transfer.request = request;
  return !transfer.pending();
}

void Transport::sent(void* request, ucs_status_t status, void* user) {
  ucp_request_free(request);
  auto& transfer = *static_cast<PendingTransfer*>(user);
  Transport& self = *transfer.transport;
  transfer.request = nullptr;
  if (status == UCS_OK) {
    if (!transfer.offered) transfer.done(transfer, TransferStatus::complete);
    return;
  }
  if (std::exchange(transfer.offered, false)) self.offers_.withdraw(transfer.offer.slot);
  const bool cancelled = status == UCS_ERR_CANCELED;
  if (!cancelled) self.peer_failed(transfer.peer, ucs_status_string(status));
  transfer.done(transfer, cancelled ? TransferStatus::cancelled : TransferStatus::failed);
}

bool Transport::receive(int peer, void* data, std::size_t bytes, Tag tag,
                        PendingTransfer& transfer) {
  if (at(peer).health == Health::failed) throw_failed(peer, *failure(peer));
  transfer.transport = this;
  transfer.peer = peer;
  transfer.receiving = true;
  transfer.bytes = bytes;
  transfer.destination = nullptr;
  transfer.cancelled = false;
  if (in_mailbox(peer, bytes, tag)) {
    const auto outcome =
        short_messages_->receive(at(peer).place, data, bytes, tag.packed(), transfer);
    if (!outcome && at(peer).endpoint == nullptr) unwatched_.push_back(peer);
    count_received(peer, bytes);  // or it will be, unless the collective fails
    return finish_receive(transfer, outcome);
  }
  if (single_copy(peer, bytes)) {
    transfer.destination = data;
    data = &transfer.offer;
    bytes = sizeof transfer.offer;
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
    arrived.transport->arrived(arrived, status, received->length);
  };
  parameters.user_data = &transfer;
  constexpr std::uint64_t whole_tag = ~std::uint64_t{0};
  void* const request =
      ucp_tag_recv_nbx(worker_.get(), data, bytes, tag.packed(), whole_tag, &parameters);
  const Arrival arrival = std::exchange(transfer.arrival, Arrival::later);
  if (UCS_PTR_IS_ERR(request)) {
    throw Error(ErrorCode::internal,
                fmt::format("a receive of {} bytes from rank {} cannot be posted: UCX: {}",
                            transfer.bytes, peer, ucs_status_string(UCS_PTR_STATUS(request))));
  }
  if (arrival == Arrival::posting) {
    transfer.request = request;
    if (at(peer).endpoint == nullptr) unwatched_.push_back(peer);
    return false;
  }
  if (request != nullptr) ucp_request_free(request);
  const auto outcome =
      arrival == Arrival::right ? land(transfer) : std::optional(TransferStatus::wrong_length);
  return finish_receive(transfer, outcome);
}

bool Transport::finish_receive(const PendingTransfer& transfer,
                               std::optional<TransferStatus> outcome) {
  const int peer = transfer.peer;
  if (outcome == TransferStatus::wrong_length) {
    throw Error(ErrorCode::mismatch,
                fmt::format("expected {} bytes from rank {}, which sent another number: the ranks "
                            "disagree about the "
                            "operation; compare counts, types and the order of calls",
                            transfer.bytes, peer));
  }
  if (outcome == TransferStatus::withdrawn) throw_failed(peer, withdrawal(peer));
  if (outcome == TransferStatus::failed) throw_failed(peer, *failure(peer));
  return outcome.has_value();
}

void Transport::arrived(PendingTransfer& transfer, ucs_status_t status, std::size_t bytes) {
  std::optional<TransferStatus> outcome;
  if (status == UCS_ERR_CANCELED) {
    outcome = TransferStatus::cancelled;
  } else if (status == UCS_ERR_MESSAGE_TRUNCATED ||
             (status == UCS_OK && bytes != message_bytes(transfer))) {
    outcome = TransferStatus::wrong_length;
  } else if (status != UCS_OK) {
    peer_failed(transfer.peer, ucs_status_string(status));
    outcome = TransferStatus::failed;
  } else {
    outcome = land(transfer);
  }
  if (outcome) transfer.done(transfer, *outcome);
}

// What to do once the message is there. Returns how the receive ended; nullopt if the sender's
// memory has been read and the word of it is still in flight.
std::optional<TransferStatus> Transport::land(PendingTransfer& transfer) {
  void* word = nullptr;
  if (transfer.destination != nullptr) {
    if (transfer.offer.bytes != transfer.bytes) return TransferStatus::wrong_length;
    Peer& sender = at(transfer.peer);
    switch (read_offer(sender.memory.process, transfer.offer, transfer.destination)) {
      case ReadResult::complete: break;
      case ReadResult::withdrawn: return TransferStatus::withdrawn;
      case ReadResult::failed:
        peer_failed(transfer.peer, std::strerror(errno));
        return TransferStatus::failed;
    }
    ucp_request_param_t parameters{};
    parameters.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    parameters.cb.send = &Transport::sent;
    parameters.user_data = &transfer;
    parameters.flags = UCP_AM_SEND_FLAG_EAGER;
    // UCX itself calls this, and knows no exceptions.
    if (const ucs_status_t status = sender.endpoint == nullptr ? connect(transfer.peer) : UCS_OK;
        status != UCS_OK) {
      peer_failed(transfer.peer, ucs_status_string(status));
      return TransferStatus::failed;
    }
    word = ucp_am_send_nbx(sender.endpoint, taken_id, &transfer.offer, sizeof transfer.offer,
                           nullptr, 0, &parameters);
    if (UCS_PTR_IS_ERR(word)) {
      peer_failed(transfer.peer, ucs_status_string(UCS_PTR_STATUS(word)));
      return TransferStatus::failed;
    }
  }
  count_received(transfer.peer, transfer.bytes);
  if (word == nullptr) return TransferStatus::complete;
  transfer.request = word;
  return std::nullopt;
}

ucs_status_t Transport::on_taken(void* self, const void* header, std::size_t header_bytes, void*,
                                 std::size_t, const ucp_am_recv_param_t*) {
  Offer offer;
  if (header_bytes != sizeof offer) return UCS_OK;
  std::memcpy(&offer, header, sizeof offer);
  Transport& transport = *static_cast<Transport*>(self);
  PendingTransfer* const transfer = transport.offers_.taken(offer.slot, offer.ticket);
  if (transfer == nullptr) return UCS_OK;  // withdrawn while it was read
  transfer->offered = false;
  if (transfer->request == nullptr) transfer->done(*transfer, TransferStatus::complete);
  return UCS_OK;
}

bool Transport::has_mismatched_message(int peer, std::size_t bytes, Tag tag) {
  if (at(peer).place < 0 || (tag.channel & Tag::point_to_point) != 0) return false;
  if (!in_mailbox(peer, bytes, tag)) return short_messages_->holds(at(peer).place, tag.packed());
  constexpr std::uint64_t whole_tag = ~std::uint64_t{0};
  constexpr int leave_it = 0;
  ucp_tag_recv_info_t info{};
  return ucp_tag_probe_nb(worker_.get(), tag.packed(), whole_tag, leave_it, &info) != nullptr;
}

// A rank that sleeps looks into its mailbox only now and then.
void Transport::wake(int peer) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_FLAGS;
  parameters.cb.send = [](void* request, ucs_status_t, void*) { ucp_request_free(request); };
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  const void* const nothing = nullptr;
  static_cast<void>(ucp_am_send_nbx(endpoint(peer), wake_id, nothing, 0, nothing, 0, &parameters));
}

void Transport::cancel(PendingTransfer& transfer) {
  if (transfer.in_mailbox) short_messages_->cancel(transfer);
  if (transfer.offered) offers_to_end_ = transfer.cancelled = true;
  if (transfer.request != nullptr) ucp_request_cancel(worker_.get(), transfer.request);
}

// Takes back what peers that are gone, or nobody any more, shall read.
void Transport::end_offers() {
  offers_to_end_ = false;
  const auto now = std::chrono::steady_clock::now();
  for (PendingTransfer* const transfer : offers_.standing()) {
    const bool failed = at(transfer->peer).health != Health::good;
    if (!failed && !transfer->cancelled) continue;
    if (now < transfer->offer.made + offer_stands) {
      offers_to_end_ = true;
      continue;
    }
    offers_.withdraw(transfer->offer.slot);
    transfer->offered = false;
    if (transfer->request != nullptr) continue;
    transfer->done(*transfer, failed ? TransferStatus::failed : TransferStatus::cancelled);
  }
}

}  // namespace cuboid::detail
