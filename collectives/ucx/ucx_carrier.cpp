#include "collectives/ucx/ucx_carrier.hpp"

#include <cuboid/error.hpp>

#include "collectives/carrier/memory_in_node.hpp"
#include "collectives/ucx/ucx_handles.hpp"
#include "collectives/ucx/ucx_memory.hpp"
#include "collectives/ucx/ucx_settings.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sched.h>

namespace cuboid::detail {

namespace {

constexpr std::chrono::seconds stop_patience{1};
constexpr std::uint64_t whole_tag = ~std::uint64_t{0};

/// By peer: true if TCP may carry messages to it.
std::vector<bool> reached_by_tcp(const PeerInformation& ranks, int rank,
                                 const std::vector<std::string>& transports) {
  const bool any = !has_remote_access(transports) &&
                   std::ranges::any_of(transports, [](const std::string& transport) {
                     return transport.starts_with("tcp/");
                   });
  const bool between_nodes_only = has_shared_memory(transports);
  std::vector<bool> reached(static_cast<std::size_t>(ranks.size()));
  for (int peer = 0; peer < ranks.size(); ++peer) {
    reached[static_cast<std::size_t>(peer)] =
        any && peer != rank && !(between_nodes_only && ranks.same_node(peer, rank));
  }
  return reached;
}

Outcome outcome_of(ucs_status_t status) {
  if (status == UCS_OK) return {};
  if (status == UCS_ERR_CANCELED) return {Outcome::State::cancelled};
  if (status == UCS_ERR_MESSAGE_TRUNCATED) return {Outcome::State::wrong_length};
  return Outcome::failure(ucs_status_string(status));
}

}  // namespace

UcxCarrier::UcxCarrier(int rank, const PeerInformation& ranks, UcxStart start)
    : rank_(rank),
      ucx_(std::move(start.ucx)),
      connections_(ucx_.worker.get(), start.addresses,
                   [this](int peer, ucs_status_t reason) {
                     answers_.ended(peer);
                     report_end(peer, ucs_status_string(reason));
                   }),
      remote_access_(detail::has_remote_access(transports_of(ucx_.context.get()))),
      maps_memory_(!remote_access_ && has_shared_memory(transports_of(ucx_.context.get()))),
      by_tcp_(reached_by_tcp(ranks, rank_, transports_of(ucx_.context.get()))),
      answers_(by_tcp_),
      event_descriptor_(start.event_descriptor) {
  listen(ControlMessage::connection, {&UcxCarrier::on_connection, this});
  for (std::size_t word = 0; word < control_messages; ++word) {
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = static_cast<unsigned>(word);
    handler.cb = &UcxCarrier::on_word;
    handler.arg = const_cast<Listener*>(&listener(static_cast<ControlMessage>(word)));
    require(ucp_worker_set_am_recv_handler(ucx_.worker.get(), &handler),
            "setting a message handler");
  }
}

UcxCarrier::~UcxCarrier() {
  stop();
}

std::vector<std::string> UcxCarrier::ways() const {
  return transports_of(ucx_.context.get());
}

const char* UcxCarrier::open(int peer) {
  const ucs_status_t status = connections_.open(peer);
  return status == UCS_OK ? nullptr : ucs_status_string(status);
}

void UcxCarrier::close(int peer) {
  answers_.ended(peer);
  connections_.close(peer);
}

void UcxCarrier::cut(int peer) {
  answers_.ended(peer);
  connections_.cut(peer);
}

void UcxCarrier::settle(std::chrono::duration<double> patience) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  while ((words_under_way_ > 0 || !connections_.closed()) && Clock::now() < until) {
    if (!progress()) sched_yield();
  }
  if (words_under_way_ > 0) {
    for (Said& word : words_) word.abandoned = word.under_way;
    words_under_way_ = 0;
  }
  connections_.forget_closing();
  // Ends the flush, because UCX warns of requests that are under way when the worker ends.
  if (all_left_) progress();
}

Outcome UcxCarrier::send(int peer, const void* data, std::size_t bytes, std::uint64_t tag,
                         PendingTransfer& transfer) {
  const UcxAnswers::HeldMessage message{peer, data, bytes, tag, &transfer};
  if (answers_.may_go(peer, bytes)) return send_now(message);
  transfer.request = &answers_;
  transfer.held = true;
  if (answers_.hold(message)) send_open(peer, true);
  return {Outcome::State::under_way};
}

Outcome UcxCarrier::send_now(const UcxAnswers::HeldMessage& message) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.cb.send = &UcxCarrier::sent;
  parameters.user_data = message.transfer;
  void* const request = ucp_tag_send_nbx(connections_.endpoint(message.peer), message.data,
                                         message.bytes, message.tag, &parameters);
  if (UCS_PTR_IS_ERR(request)) return outcome_of(UCS_PTR_STATUS(request));
  message.transfer->request = request;
  return {request == nullptr ? Outcome::State::complete : Outcome::State::under_way};
}

void UcxCarrier::send_open(int peer, bool asks) {
  const ConnectionHeader header{rank_, asks};
  send_control(peer, ControlMessage::connection, std::as_bytes(std::span(&header, 1)), "", nullptr);
}

void UcxCarrier::see_to_answers() {
  const UcxAnswers::Due due = answers_.take_due();
  for (const int peer : due.answers) {
    if (!is_open(peer) && open(peer) != nullptr)
      continue;  // the end of its connection is reported otherwise
    send_open(peer, false);
  }
  const auto end = [](PendingTransfer& transfer, Outcome outcome) {
    transfer.request = nullptr;
    transfer.ended(transfer, outcome);
  };
  for (const UcxAnswers::HeldMessage& message : due.go) {
    message.transfer->held = false;
    const Outcome outcome = send_now(message);
    if (outcome.state != Outcome::State::under_way) end(*message.transfer, outcome);
  }
  for (const UcxAnswers::HeldMessage& message : due.cancelled)
    end(*message.transfer, {Outcome::State::cancelled});
  for (const UcxAnswers::HeldMessage& message : due.lost)
    end(*message.transfer, Outcome::failure("its connection has ended"));
}

void UcxCarrier::on_connection(void* self, std::span<const std::byte> header, std::string_view) {
  ConnectionHeader word{};
  if (header.size() != sizeof word) return;
  std::memcpy(&word, header.data(), sizeof word);
  auto& carrier = *static_cast<UcxCarrier*>(self);
  if (word.sender < 0 || word.sender >= carrier.connections_.size()) return;
  word.asks ? carrier.answers_.asked(word.sender) : carrier.answers_.answered(word.sender);
}

void UcxCarrier::sent(void* request, ucs_status_t status, void* user) {
  ucp_request_free(request);
  auto& transfer = *static_cast<PendingTransfer*>(user);
  transfer.request = nullptr;
  transfer.ended(transfer, outcome_of(status));
}

Outcome UcxCarrier::receive(int, void* data, std::size_t bytes, std::uint64_t tag,
                            PendingTransfer& transfer) {
  transfer.expected = bytes;
  transfer.arrival = Arrival::posting;
  ucp_request_param_t parameters{};
  // UCX tells the length of a message that has already come only through the callback.
  parameters.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  parameters.cb.recv = &UcxCarrier::received;
  parameters.user_data = &transfer;
  void* const request =
      ucp_tag_recv_nbx(ucx_.worker.get(), data, bytes, tag, whole_tag, &parameters);
  const Arrival arrival = std::exchange(transfer.arrival, Arrival::later);
  if (UCS_PTR_IS_ERR(request)) return Outcome::failure(ucs_status_string(UCS_PTR_STATUS(request)));
  if (arrival == Arrival::posting) {
    transfer.request = request;
    return {Outcome::State::under_way};
  }
  if (request != nullptr) ucp_request_free(request);
  return {arrival == Arrival::right ? Outcome::State::complete : Outcome::State::wrong_length};
}

void UcxCarrier::received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                          void* user) {
  auto& transfer = *static_cast<PendingTransfer*>(user);
  const bool right = status == UCS_OK && info->length == transfer.expected;
  if (transfer.arrival == Arrival::posting) {
    transfer.arrival = right ? Arrival::right : Arrival::wrong;
    return;
  }
  ucp_request_free(request);
  transfer.request = nullptr;
  transfer.ended(transfer, status == UCS_OK && !right ? Outcome{Outcome::State::wrong_length}
                                                      : outcome_of(status));
}

void UcxCarrier::cancel(PendingTransfer& transfer) {
  if (transfer.held) return answers_.cancel(transfer);
  ucp_request_cancel(ucx_.worker.get(), transfer.request);
}

bool UcxCarrier::has_come(int, std::uint64_t tag) {
  constexpr int leave_it = 0;
  ucp_tag_recv_info_t info{};
  return ucp_tag_probe_nb(ucx_.worker.get(), tag, whole_tag, leave_it, &info) != nullptr;
}

void UcxCarrier::drop_unmatched(std::chrono::duration<double> patience) {
  constexpr std::uint64_t any_tag = 0;
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  ucp_tag_recv_info_t info{};
  while (ucp_tag_message_h message =
             ucp_tag_probe_nb(ucx_.worker.get(), any_tag, any_tag, 1, &info)) {
    std::vector<std::byte> dropped(info.length);
    const ucp_request_param_t parameters{};
    void* const request = ucp_tag_msg_recv_nbx(ucx_.worker.get(), dropped.data(), dropped.size(),
                                               message, &parameters);
    if (!UCS_PTR_IS_PTR(request)) continue;
    while (ucp_request_check_status(request) == UCS_INPROGRESS && Clock::now() < until) progress();
    const bool done = ucp_request_check_status(request) != UCS_INPROGRESS;
    ucp_request_free(request);
    if (!done) return;
  }
}

UcxCarrier::Said& UcxCarrier::free_word() {
  if (free_words_.empty()) return words_.emplace_back();
  Said* const word = free_words_.back();
  free_words_.pop_back();
  return *word;
}

Outcome UcxCarrier::send_control(int peer, ControlMessage kind, std::span<const std::byte> header,
                                 std::string_view text, PendingTransfer* waiter) {
  Said& word = free_word();
  word.carrier = this;
  word.header.assign(header.begin(), header.end());
  word.text.assign(text);
  word.waiter = waiter;
  word.abandoned = false;
  ucp_request_param_t parameters{};
  parameters.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  parameters.cb.send = &UcxCarrier::word_sent;
  parameters.user_data = &word;
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  void* const request =
      ucp_am_send_nbx(connections_.endpoint(peer), static_cast<unsigned>(kind), word.header.data(),
                      word.header.size(), word.text.data(), word.text.size(), &parameters);
  if (UCS_PTR_IS_PTR(request)) {
    word.under_way = true;
    ++words_under_way_;
    if (waiter != nullptr) waiter->request = request;
    return {Outcome::State::under_way};
  }
  free_words_.push_back(&word);
  return outcome_of(UCS_PTR_STATUS(request));
}

void UcxCarrier::word_sent(void* request, ucs_status_t status, void* user) {
  ucp_request_free(request);
  auto& word = *static_cast<Said*>(user);
  UcxCarrier& carrier = *word.carrier;
  word.under_way = false;
  if (!word.abandoned) --carrier.words_under_way_;
  PendingTransfer* const waiter = word.waiter;
  carrier.free_words_.push_back(&word);
  if (waiter == nullptr) return;
  waiter->request = nullptr;
  waiter->ended(*waiter, outcome_of(status));
}

ucs_status_t UcxCarrier::on_word(void* self, const void* header, std::size_t header_bytes,
                                 void* data, std::size_t bytes, const ucp_am_recv_param_t*) {
  const Listener& listener = *static_cast<const Listener*>(self);
  if (listener.receive != nullptr) {
    listener.receive(listener.self, {static_cast<const std::byte*>(header), header_bytes},
                     {static_cast<const char*>(data), bytes});
  }
  return UCS_OK;
}

// UCX's TCP counts the bytes that its sockets had no room for, and the connections that are not
// open yet. Flushing the worker reads that count (see settings_of()).
bool UcxCarrier::stays_behind() {
  if (all_left_ && ucp_request_check_status(all_left_.get()) == UCS_INPROGRESS) return true;
  const ucp_request_param_t parameters{};
  void* const flush = ucp_worker_flush_nbx(ucx_.worker.get(), &parameters);
  all_left_.reset(UCS_PTR_IS_PTR(flush) ? flush : nullptr);
  return all_left_ != nullptr;
}

// An empty word goes at once if nothing is left before it, else not at all. It must not wait in
// UCX: UCX 1.13 then stops the connection until the peer has answered, and a peer that has received
// all it needs may call UCX no more.
bool UcxCarrier::has_left(int peer) {
  if (!is_open(peer) || has_ended(peer)) return true;
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL;
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  void* const request =
      ucp_am_send_nbx(connections_.endpoint(peer), static_cast<unsigned>(ControlMessage::follow_up),
                      nullptr, 0, nullptr, 0, &parameters);
  return UCS_PTR_STATUS(request) != UCS_ERR_NO_RESOURCE;
}

void UcxCarrier::stop() {
  if (ucx_.worker == nullptr) return;
  // A peer that is gone, or is just leaving, may have connected before UCX's answer to it has left.
  // UCX 1.13 aborts if a worker ends with such an answer. To a host that is switched off the answer
  // never leaves; then UCX's objects stay until the process ends.
  const auto until = Clock::now() + stop_patience;
  while (stays_behind() && Clock::now() < until) {
    if (!progress()) sched_yield();
  }
  const bool all_have_left = !stays_behind();
  all_left_.reset();
  if (!all_have_left) {
    static_cast<void>(ucx_.worker.release());
    static_cast<void>(ucx_.context.release());
  }
  ucx_.worker.reset();
}

void UcxCarrier::sleep(std::chrono::microseconds longest) {
  pollfd event{.fd = event_descriptor_, .events = POLLIN, .revents = 0};
  poll(&event, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(longest).count()));
}

std::unique_ptr<ExposedMemory> UcxCarrier::expose(std::size_t bytes) {
  // UCX's segments have names for a moment, and they stay behind if the process is killed in that
  // moment.
  if (maps_memory_) return expose_in_node(bytes, false);
  return expose_by_ucx(ucx_.context.get(), bytes);
}

std::unique_ptr<ReachedMemory> UcxCarrier::reach(int peer, std::span<const std::byte> key,
                                                 std::span<std::byte> there, bool remote_access) {
  if (is_key_in_node(key)) return reach_in_node(key, there.size());
  if (!is_open(peer)) {
    if (const char* const reason = open(peer)) throw Error(ErrorCode::peer_failed, reason);
  }
  return reach_by_ucx(connections_.endpoint(peer), key, there, remote_access);
}

std::unique_ptr<RemoteRequest> UcxCarrier::flush() {
  return flush_by_ucx(ucx_.worker.get());
}

}  // namespace cuboid::detail
