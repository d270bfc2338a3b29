#include "collectives/node/pipe.hpp"

#include <algorithm>
#include <cstring>

namespace cuboid::detail {

void Pipe::send(PendingTransfer& transfer) {
  const RequestToSend& request = transfer.send_request;
  transfer.in_mailbox = true;
  sends_.push_back({request.slot, request.ticket, request.start(), request.bytes, &transfer});
}

void Pipe::receive(void* destination, PendingTransfer& transfer) {
  const RequestToSend& request = transfer.send_request;
  transfer.in_mailbox = true;
  receives_.push_back({request.slot, request.ticket, static_cast<std::byte*>(destination),
                       request.bytes, &transfer});
}

void Pipe::withdraw(std::uint64_t slot, std::uint64_t ticket) {
  sends_.push_back({slot, ticket, nullptr, 0, nullptr});
}

void Pipe::cancel(PendingTransfer& transfer) {
  transfer.cancelled = any_cancelled_ = true;
}

bool Pipe::room() {
  if (put_ - seen_taken_ < PipeMemory::pieces) return true;
  seen_taken_ = outgoing_.taken.load(std::memory_order_acquire);
  return put_ - seen_taken_ < PipeMemory::pieces;
}

bool Pipe::busy() const {
  const auto& next = incoming_.ring[taken_ % PipeMemory::pieces];
  return sending() || any_cancelled_ || next.number.load(std::memory_order_acquire) == taken_ + 1;
}

bool Pipe::progress() {
  if (any_cancelled_) end_cancelled();
  bool moved = false;
  // Not more at a time than the ring has: others have a turn.
  for (std::size_t i = 0; i < PipeMemory::pieces && sending() && room(); ++i) {
    moved = true;
    put(sends_.front());
  }
  for (std::size_t i = 0; i < PipeMemory::pieces; ++i) {
    const auto& next = incoming_.ring[taken_ % PipeMemory::pieces];
    if (next.number.load(std::memory_order_acquire) != taken_ + 1) break;
    moved = true;
    take(next);
  }
  return moved;
}

// The next piece of the first of sends_.
void Pipe::put(Send& send) {
  auto& piece = outgoing_.ring[put_ % PipeMemory::pieces];
  const std::size_t bytes = std::min(send.left, PipeMemory::piece_bytes);
  piece.slot = send.slot;
  piece.ticket = send.ticket;
  piece.bytes = static_cast<std::uint32_t>(bytes);
  piece.withdrawn = send.transfer == nullptr;
  if (bytes > 0) std::memcpy(piece.data.data(), send.data, bytes);
  piece.number.store(++put_, std::memory_order_release);
  send.data += bytes;
  send.left -= bytes;
  if (send.left > 0) return;
  PendingTransfer* const transfer = send.transfer;
  sends_.pop_front();
  if (transfer == nullptr) return;
  transfer->in_mailbox = false;
  transfer->ended(*transfer, {});
}

// Pieces of a message that its receiver has given up are dropped.
void Pipe::take(const PipeMemory::Piece& piece) {
  const auto receive = std::ranges::find_if(receives_, [&](const Receive& one) {
    return one.slot == piece.slot && one.ticket == piece.ticket;
  });
  const bool withdrawn = piece.withdrawn;
  if (receive != receives_.end() && !withdrawn) {
    std::memcpy(receive->data, piece.data.data(), piece.bytes);
    receive->data += piece.bytes;
    receive->left -= piece.bytes;
  }
  incoming_.taken.store(++taken_, std::memory_order_release);
  if (receive == receives_.end() || (receive->left > 0 && !withdrawn)) return;
  PendingTransfer& transfer = *receive->transfer;
  receives_.erase(receive);
  transfer.in_mailbox = false;
  transfer.ended(transfer, {withdrawn ? Outcome::State::withdrawn : Outcome::State::complete});
}

void Pipe::end_cancelled() {
  any_cancelled_ = false;
  std::vector<PendingTransfer*> ended;
  for (Send& send : sends_) {
    if (send.transfer == nullptr || !send.transfer->cancelled) continue;
    ended.push_back(send.transfer);
    send = {send.slot, send.ticket, nullptr, 0, nullptr};
  }
  std::erase_if(receives_, [&ended](const Receive& receive) {
    if (receive.transfer->cancelled) ended.push_back(receive.transfer);
    return receive.transfer->cancelled;
  });
  for (PendingTransfer* const transfer : ended) {
    transfer->in_mailbox = false;
    transfer->ended(*transfer, {Outcome::State::cancelled});
  }
}

}  // namespace cuboid::detail
