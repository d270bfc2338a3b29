#include "collectives/transport/memory_exchange.hpp"

#include <cuboid/error.hpp>

#include "collectives/transport/active_messages.hpp"
#include "collectives/transport/remote_memory.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

MemoryExchange::MemoryExchange(Peers& peers, Messages& messages)
    : peers_(peers), messages_(messages) {
  const ucp_worker_h worker = peers.connections().worker();
  handle_messages(worker, memory_request_id, &MemoryExchange::on_request, this);
  handle_messages(worker, memory_answer_id, &MemoryExchange::on_answer, this);
}

MemoryExchange::~MemoryExchange() = default;

MemoryExchange::MemoryNumber MemoryExchange::add(std::shared_ptr<const SharedMemory> memory) {
  const MemoryNumber number{memories_++};
  memory_.emplace(number, std::move(memory));
  return number;
}

void MemoryExchange::remove(MemoryNumber memory) {
  memory_.erase(memory);
}

std::shared_ptr<MemoryExchange::Operation> MemoryExchange::put(std::span<const std::byte> mine,
                                                               int peer, MemoryNumber memory,
                                                               std::size_t offset) {
  const auto operation = start(peer);
  const std::uint64_t number = operation->number_;
  const Request request{Kind::put, peers_.rank(), number, memory, offset, mine.size()};
  send_word(peer, memory_request_id, std::as_bytes(std::span(&request, 1)));
  operation->data_moved_ = messages_.send(peer, mine.data(), mine.size(),
                                          tag(Kind::put, number, peers_.rank()), *operation);
  return operation;
}

std::shared_ptr<MemoryExchange::Operation> MemoryExchange::get(std::span<std::byte> mine, int peer,
                                                               MemoryNumber memory,
                                                               std::size_t offset) {
  const auto operation = start(peer);
  const std::uint64_t number = operation->number_;
  const Request request{Kind::get, peers_.rank(), number, memory, offset, mine.size()};
  operation->answered_ = true;  // the data is the answer
  operation->data_moved_ =
      messages_.receive(peer, mine.data(), mine.size(), tag(Kind::get, number, peer), *operation);
  send_word(peer, memory_request_id, std::as_bytes(std::span(&request, 1)));
  return operation;
}

std::shared_ptr<MemoryExchange::Operation> MemoryExchange::start(int peer) {
  if (!peers_.good(peer)) {
    const Peers::Failure failure = peers_.missed(peer);
    throw Error(ErrorCode::peer_failed, fmt::format("rank {} {}", failure.rank, failure.did));
  }
  peers_.endpoint(peer);  // which may throw: before there is anything to take back
  auto operation = std::make_shared<Operation>();
  operation->owner_ = this;
  operation->number_ = started_++;
  operation->done = [](PendingTransfer& transfer, TransferStatus status) {
    auto& one = static_cast<Operation&>(transfer);
    if (status == TransferStatus::complete) {
      one.data_moved_ = true;
    } else {
      one.state_ = Operation::State::failed;
      one.reason_ = status == TransferStatus::withdrawn ? "the data was withdrawn" : "it was ended";
    }
    one.owner_->settle(one);
  };
  operations_.emplace(operation->number_, operation);
  return operation;
}

// Ends an operation of which nothing is under way any more.
void MemoryExchange::settle(Operation& operation) {
  const bool complete = operation.data_moved_ && operation.answered_;
  if (complete && operation.state_ == Operation::State::under_way)
    operation.state_ = Operation::State::complete;
  if (operation.state_ == Operation::State::under_way || operation.pending()) return;
  operations_.erase(operation.number_);
}

bool MemoryExchange::progress() {
  if (requests_.empty() && !any_service_ended_) return false;
  for (const Request& request : std::exchange(requests_, {})) serve(request);
  any_service_ended_ = false;
  for (const Service& service : services_) {
    if (!service.ended || !peers_.good(service.request.origin)) continue;
    if (service.request.kind == Kind::get && service.succeeded) continue;  // the data says it
    const Answer answer{service.request.number, service.succeeded};
    send_word(service.request.origin, memory_answer_id, std::as_bytes(std::span(&answer, 1)));
  }
  services_.remove_if([](const Service& service) { return service.ended; });
  return true;
}

void MemoryExchange::drop_services() {
  services_.clear();
  memory_.clear();
}

void MemoryExchange::serve(const Request& request) {
  if (request.origin < 0 || request.origin >= peers_.size() || !peers_.good(request.origin)) return;
  Service& service = services_.emplace_back();
  service.exchange = this;
  service.request = request;
  const auto memory = memory_.find(request.memory);
  const bool inside = memory != memory_.end() && request.bytes <= memory->second->bytes().size() &&
                      request.offset <= memory->second->bytes().size() - request.bytes;
  if (!inside) {
    service.ended = any_service_ended_ = true;
    return;
  }
  service.memory = memory->second;
  service.done = [](PendingTransfer& transfer, TransferStatus status) {
    auto& one = static_cast<Service&>(transfer);
    one.ended = one.exchange->any_service_ended_ = true;
    one.succeeded = status == TransferStatus::complete;
  };
  std::byte* const data = service.memory->bytes().data() + request.offset;
  try {
    const bool at_once =
        request.kind == Kind::get
            ? messages_.send(request.origin, data, request.bytes,
                             tag(Kind::get, request.number, peers_.rank()), service)
            : messages_.receive(request.origin, data, request.bytes,
                                tag(Kind::put, request.number, request.origin), service);
    if (at_once) service.ended = service.succeeded = any_service_ended_ = true;
  } catch (const Error&) {  // the origin has gone, or its put was of another length
    service.ended = any_service_ended_ = true;
  }
}

void MemoryExchange::take_in(const Answer& answer) {
  const auto found = operations_.find(answer.number);
  if (found == operations_.end()) return;
  const std::shared_ptr<Operation> operation = found->second;
  operation->answered_ = true;
  if (!answer.served) {
    operation->state_ = Operation::State::failed;
    operation->reason_ = "the memory is no more";
    if (operation->pending()) messages_.cancel(*operation);
  }
  settle(*operation);
}

void MemoryExchange::send_word(int peer, unsigned id, std::span<const std::byte> header) {
  auto word = std::make_unique<Word>(Word{this, {header.begin(), header.end()}});
  ucp_request_param_t parameters{};
  parameters.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  parameters.cb.send = [](void* request, ucs_status_t, void* user) {
    ucp_request_free(request);
    auto* const sent = static_cast<Word*>(user);
    sent->exchange->words_.erase(sent);
  };
  parameters.user_data = word.get();
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  void* const request = ucp_am_send_nbx(peers_.endpoint(peer), id, word->header.data(),
                                        word->header.size(), nullptr, 0, &parameters);
  if (UCS_PTR_IS_ERR(request)) peers_.fail(peer, ucs_status_string(UCS_PTR_STATUS(request)));
  if (UCS_PTR_IS_PTR(request)) words_.emplace(word.get(), std::move(word));
}

Tag MemoryExchange::tag(Kind kind, std::uint64_t number, int sender) {
  return {.sequence = static_cast<std::uint32_t>(number >> Tag::segment_bits & 0xFF),
          .sender = static_cast<std::uint32_t>(sender),
          .channel = kind == Kind::put ? Tag::put_channel : Tag::get_channel,
          .segment = static_cast<std::uint32_t>(number & 0xFF)};
}

ucs_status_t MemoryExchange::on_request(void* self, const void* header, std::size_t header_bytes,
                                        void*, std::size_t, const ucp_am_recv_param_t*) {
  Request request{};
  if (header_bytes != sizeof request) return UCS_OK;
  std::memcpy(&request, header, sizeof request);
  static_cast<MemoryExchange*>(self)->requests_.push_back(request);
  return UCS_OK;
}

ucs_status_t MemoryExchange::on_answer(void* self, const void* header, std::size_t header_bytes,
                                       void*, std::size_t, const ucp_am_recv_param_t*) {
  Answer answer{};
  if (header_bytes != sizeof answer) return UCS_OK;
  std::memcpy(&answer, header, sizeof answer);
  static_cast<MemoryExchange*>(self)->take_in(answer);
  return UCS_OK;
}

}  // namespace cuboid::detail
