#include "collectives/node/short_messages.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cuboid::detail {

namespace {

Outcome::State land(const void* message, std::size_t bytes, void* destination,
                    std::size_t expected) {
  if (bytes != expected) return Outcome::State::wrong_length;
  if (bytes > 0) std::memcpy(destination, message, bytes);
  return Outcome::State::complete;
}

}  // namespace

ShortMessages::ShortMessages(std::vector<Mailbox> mailboxes, int own)
    : mailboxes_(std::move(mailboxes)), own_(own), peers_(mailboxes_.size()) {
  constexpr std::size_t hardly_ever_more = 16;
  for (Peer& peer : peers_) peer.posted.reserve(hardly_ever_more);
}

bool ShortMessages::send(int place, const void* data, std::size_t bytes, std::uint64_t tag,
                         PendingTransfer& transfer, ShortKind kind) {
  transfer.in_mailbox = !put(place, kind, tag, data, bytes, &transfer);
  return !transfer.in_mailbox;
}

bool ShortMessages::answer(int place, std::span<const std::byte> answer,
                           PendingTransfer* transfer) {
  const bool sent = put(place, ShortKind::answer, 0, answer.data(), answer.size(), transfer);
  if (transfer != nullptr) transfer->in_mailbox = !sent;
  return sent;
}

// False where there is no room, so that it waits.
bool ShortMessages::put(int place, ShortKind kind, std::uint64_t tag, const void* data,
                        std::size_t bytes, PendingTransfer* transfer) {
  Mailbox& mailbox = mailboxes_[static_cast<std::size_t>(place)];
  // It must not overtake messages that already wait.
  if (!sending_to(place) && mailbox.put(own_, kind, tag, data, bytes)) return true;
  Copy copy{kind, tag, bytes, {}};
  if (bytes > 0) std::memcpy(copy.data.data(), data, bytes);
  at(place).waiting.push_back({copy, transfer});
  return false;
}

std::optional<Outcome::State> ShortMessages::receive(int place, void* data, std::size_t bytes,
                                                     std::uint64_t tag, PendingTransfer& transfer,
                                                     ShortKind kind) {
  Peer& sender = at(place);
  const auto same_tag = [tag, kind](const auto& other) {
    return other.tag == tag && other.kind == kind;
  };
  if (std::none_of(sender.posted.begin(), sender.posted.end(), same_tag)) {
    const auto held = std::find_if(sender.unexpected.begin(), sender.unexpected.end(), same_tag);
    if (held != sender.unexpected.end()) {
      const Outcome::State status = land(held->data.data(), held->bytes, data, bytes);
      sender.unexpected.erase(held);
      return status;
    }
    const ShortMessage* const next = own_mailbox().next(place);
    if (next != nullptr && same_tag(*next)) {
      const Outcome::State status = land(next->data.data(), next->bytes, data, bytes);
      own_mailbox().take(place);
      return status;
    }
  }
  sender.posted.push_back({kind, tag, data, bytes, &transfer});
  transfer.in_mailbox = true;
  return std::nullopt;
}

bool ShortMessages::progress() {
  bool moved = false;
  for (int place = 0; place < static_cast<int>(peers_.size()); ++place) {
    moved |= take_in(place);
    moved |= send_waiting(place);
  }
  if (any_cancelled_) end_cancelled();
  return moved;
}

bool ShortMessages::take_in(int place) {
  Peer& sender = at(place);
  bool moved = false;
  while (const ShortMessage* const next = own_mailbox().next(place)) {
    moved = true;
    if (next->kind == ShortKind::answer) {
      const auto data = next->data;
      const std::size_t bytes = next->bytes;
      own_mailbox().take(place);
      hear_(std::span(data).first(bytes));
      continue;
    }
    const auto posted =
        std::find_if(sender.posted.begin(), sender.posted.end(), [next](const Posted& receive) {
          return receive.tag == next->tag && receive.kind == next->kind;
        });
    if (posted == sender.posted.end()) {
      sender.unexpected.push_back({next->kind, next->tag, next->bytes, next->data});
      own_mailbox().take(place);
      continue;
    }
    PendingTransfer& transfer = *posted->transfer;
    const Outcome::State status = land(next->data.data(), next->bytes, posted->data, posted->bytes);
    sender.posted.erase(posted);
    own_mailbox().take(place);
    transfer.in_mailbox = false;
    transfer.ended(transfer, {status});
  }
  return moved;
}

bool ShortMessages::send_waiting(int place) {
  std::deque<Waiting>& waiting = at(place).waiting;
  bool moved = false;
  while (!waiting.empty()) {
    const Waiting& first = waiting.front();
    Mailbox& mailbox = mailboxes_[static_cast<std::size_t>(place)];
    const Copy& message = first.message;
    if (!mailbox.put(own_, message.kind, message.tag, message.data.data(), message.bytes)) break;
    PendingTransfer* const transfer = first.transfer;
    waiting.pop_front();
    moved = true;
    if (transfer == nullptr) continue;
    transfer->in_mailbox = false;
    transfer->ended(*transfer, {});
  }
  return moved;
}

void ShortMessages::cancel(PendingTransfer& transfer) {
  transfer.cancelled = any_cancelled_ = true;
}

void ShortMessages::end_cancelled() {
  any_cancelled_ = false;
  std::vector<PendingTransfer*> ended;
  const auto end = [&ended](auto& transfers) {
    std::erase_if(transfers, [&ended](const auto& entry) {
      const bool cancelled = entry.transfer != nullptr && entry.transfer->cancelled;
      if (cancelled) ended.push_back(entry.transfer);
      return cancelled;
    });
  };
  for (Peer& peer : peers_) {
    end(peer.posted);
    end(peer.waiting);
  }
  for (PendingTransfer* const transfer : ended) {
    transfer->in_mailbox = false;
    transfer->ended(*transfer, {Outcome::State::cancelled});
  }
}

bool ShortMessages::holds(int place, std::uint64_t tag, ShortKind kind) const {
  const auto& unexpected = at(place).unexpected;
  return std::any_of(unexpected.begin(), unexpected.end(), [=](const Copy& message) {
    return message.tag == tag && message.kind == kind;
  });
}

bool ShortMessages::fall_asleep() {
  own_mailbox().set_asleep(true);
  bool idle = !any_cancelled_;
  for (int place = 0; place < static_cast<int>(peers_.size()); ++place)
    idle = idle && !sending_to(place) && own_mailbox().next(place) == nullptr;
  if (!idle) wake_up();
  return idle;
}

}  // namespace cuboid::detail
