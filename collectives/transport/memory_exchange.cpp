#include "collectives/transport/memory_exchange.hpp"

#include <cuboid/error.hpp>

#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

MemoryExchange::MemoryExchange(Peers& peers, Messages& messages)
    : peers_(peers), messages_(messages) {
  peers.carrier().listen(ControlMessage::memory_request, {&MemoryExchange::on_request, this});
  peers.carrier().listen(ControlMessage::memory_answer, {&MemoryExchange::on_answer, this});
}

MemoryExchange::~MemoryExchange() = default;

MemoryExchange::MemoryNumber MemoryExchange::add(std::shared_ptr<const ExposedMemory> memory) {
  const MemoryNumber number{memories_++};
  memory_.emplace(number, std::move(memory));
  return number;
}

void MemoryExchange::remove(MemoryNumber memory) {
  memory_.erase(memory);
}

std::shared_ptr<MemoryExchange::RemoteAccess> MemoryExchange::put(std::span<const std::byte> mine,
                                                                  int peer, MemoryNumber memory,
                                                                  std::size_t offset) {
  const auto operation = start(peer);
  const std::uint64_t number = operation->number_;
  const AccessRequest request{AccessKind::put, peers_.rank(), number, memory, offset, mine.size()};
  send_control(peer, ControlMessage::memory_request, std::as_bytes(std::span(&request, 1)));
  operation->data_moved_ = messages_.send(peer, mine.data(), mine.size(),
                                          tag(AccessKind::put, number, peers_.rank()), *operation);
  return operation;
}

std::shared_ptr<MemoryExchange::RemoteAccess> MemoryExchange::get(std::span<std::byte> mine,
                                                                  int peer, MemoryNumber memory,
                                                                  std::size_t offset) {
  const auto operation = start(peer);
  const std::uint64_t number = operation->number_;
  const AccessRequest request{AccessKind::get, peers_.rank(), number, memory, offset, mine.size()};
  operation->answered_ = true;  // the data itself is the answer
  operation->data_moved_ = messages_.receive(peer, mine.data(), mine.size(),
                                             tag(AccessKind::get, number, peer), *operation);
  send_control(peer, ControlMessage::memory_request, std::as_bytes(std::span(&request, 1)));
  return operation;
}

std::shared_ptr<MemoryExchange::RemoteAccess> MemoryExchange::start(int peer) {
  if (!peers_.good(peer)) {
    const Peers::Failure failure = peers_.missed(peer);
    throw Error(ErrorCode::peer_failed, fmt::format("rank {} {}", failure.rank, failure.did));
  }
  peers_.connect(peer);  // may throw, so it comes before there is anything to take back
  auto operation = std::make_shared<RemoteAccess>();
  operation->owner_ = this;
  operation->number_ = started_++;
  operation->done = [](PendingTransfer& transfer, TransferStatus status) {
    auto& one = static_cast<RemoteAccess&>(transfer);
    if (status == TransferStatus::complete) {
      one.data_moved_ = true;
    } else {
      one.state_ = RemoteAccess::AccessState::failed;
      one.reason_ = status == TransferStatus::withdrawn ? "the data was withdrawn" : "it was ended";
    }
    one.owner_->settle(one);
  };
  operations_.emplace(operation->number_, operation);
  return operation;
}

// Ends an operation if no part of it is under way any more.
void MemoryExchange::settle(RemoteAccess& operation) {
  const bool complete = operation.data_moved_ && operation.answered_;
  if (complete && operation.state_ == RemoteAccess::AccessState::under_way)
    operation.state_ = RemoteAccess::AccessState::complete;
  if (operation.state_ == RemoteAccess::AccessState::under_way || operation.pending()) return;
  operations_.erase(operation.number_);
}

bool MemoryExchange::progress() {
  if (requests_.empty() && !any_service_ended_) return false;
  for (const AccessRequest& request : std::exchange(requests_, {})) serve(request);
  any_service_ended_ = false;
  for (const Service& service : services_) {
    if (!service.ended || !peers_.good(service.request.origin)) continue;
    if (service.request.kind == AccessKind::get && service.succeeded)
      continue;  // the data that was sent is the answer
    const AccessAnswer answer{service.request.number, service.succeeded};
    send_control(service.request.origin, ControlMessage::memory_answer,
                 std::as_bytes(std::span(&answer, 1)));
  }
  services_.remove_if([](const Service& service) { return service.ended; });
  return true;
}

void MemoryExchange::drop_services() {
  services_.clear();
  memory_.clear();
}

void MemoryExchange::serve(const AccessRequest& request) {
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
    static_cast<Service&>(transfer).end(status == TransferStatus::complete);
  };
  try {
    service.content.emplace(service.memory->bytes().subspan(request.offset, request.bytes));
    if (request.kind == AccessKind::get) service.content->fetch();
    std::byte* const data = service.content->get().data();
    const bool at_once =
        request.kind == AccessKind::get
            ? messages_.send(request.origin, data, request.bytes,
                             tag(AccessKind::get, request.number, peers_.rank()), service)
            : messages_.receive(request.origin, data, request.bytes,
                                tag(AccessKind::put, request.number, request.origin), service);
    if (at_once) service.end(true);
  } catch (const std::exception&) {
    // The origin or a device has gone, its put has another length, or there is no memory to stage.
    service.end(false);
  }
}

void MemoryExchange::Service::end(bool success) {
  ended = exchange->any_service_ended_ = true;
  try {
    if (success && request.kind == AccessKind::put) content->give_back();
    succeeded = success;
  } catch (const Error&) {
    succeeded = false;  // the device has gone
  }
}

void MemoryExchange::take_in(const AccessAnswer& answer) {
  const auto found = operations_.find(answer.number);
  if (found == operations_.end()) return;
  const std::shared_ptr<RemoteAccess> operation = found->second;
  operation->answered_ = true;
  if (!answer.served) {
    operation->state_ = RemoteAccess::AccessState::failed;
    operation->reason_ = "the memory is no more";
    if (operation->pending()) messages_.cancel(*operation);
  }
  settle(*operation);
}

void MemoryExchange::send_control(int peer, ControlMessage word,
                                  std::span<const std::byte> header) {
  const Outcome outcome = peers_.send_control(peer, word, header);
  if (outcome.state == Outcome::State::failed) peers_.fail(peer, outcome.reason);
}

Tag MemoryExchange::tag(AccessKind kind, std::uint64_t number, int sender) {
  return {.sequence = static_cast<std::uint32_t>(number >> Tag::segment_bits & 0xFF),
          .sender = static_cast<std::uint32_t>(sender),
          .channel = kind == AccessKind::put ? Tag::put_channel : Tag::get_channel,
          .segment = static_cast<std::uint32_t>(number & 0xFF)};
}

void MemoryExchange::on_request(void* self, std::span<const std::byte> header, std::string_view) {
  AccessRequest request{};
  if (header.size() != sizeof request) return;
  std::memcpy(&request, header.data(), sizeof request);
  static_cast<MemoryExchange*>(self)->requests_.push_back(request);
}

void MemoryExchange::on_answer(void* self, std::span<const std::byte> header, std::string_view) {
  AccessAnswer answer{};
  if (header.size() != sizeof answer) return;
  std::memcpy(&answer, header.data(), sizeof answer);
  static_cast<MemoryExchange*>(self)->take_in(answer);
}

}  // namespace cuboid::detail
