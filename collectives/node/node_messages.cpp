#include "collectives/node/node_messages.hpp"

#include "base/copy_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace cuboid::detail {

namespace {

template <class Note>
void write(MailboxEntry& entry, EntryKind kind, const Note& note) {
  static_assert(sizeof note <= MailboxEntry::capacity);
  entry.kind = kind;
  std::memcpy(entry.data.data(), &note, sizeof note);
}

template <class Note>
Note note_in(const std::byte* payload) {
  Note note;
  std::memcpy(&note, payload, sizeof note);
  return note;
}

std::size_t least_segment(const std::vector<Mailbox>& mailboxes) {
  const auto least = std::ranges::min_element(
      mailboxes, {}, [](const Mailbox& mailbox) { return mailbox.segments().sizes().bytes; });
  return least->segments().sizes().bytes;
}

std::uint64_t pieces_of(const RequestToSend& request) {
  return (request.bytes + request.piece_bytes - 1) / request.piece_bytes;
}

double seconds_per_byte(Clock::time_point begin, std::size_t bytes) {
  return std::chrono::duration<double>(Clock::now() - begin).count() / static_cast<double>(bytes);
}

bool is_message(EntryKind kind) {
  return kind <= EntryKind::request;
}

}  // namespace

NodeMessages::NodeMessages(std::vector<Mailbox> mailboxes, int own, LongCopies copies)
    : mailboxes_(std::move(mailboxes)),
      own_(own),
      copies_(copies),
      longest_copied_(least_segment(mailboxes_)),
      most_at_once_(std::size_t{own_mailbox().segments().sizes().bytes} *
                    own_mailbox().segments().sizes().count),
      pool_(own_mailbox().segments(), static_cast<int>(mailboxes_.size())),
      peers_(mailboxes_.size()) {
  constexpr std::size_t hardly_ever_more = 16;
  for (NodePeer& peer : peers_) peer.posted.reserve(hardly_ever_more);
}

void NodeMessages::end(PendingTransfer& transfer, Outcome outcome) {
  transfer.in_mailbox = false;
  transfer.ended(transfer, outcome);
}

bool NodeMessages::send(int place, const void* data, std::size_t bytes, std::uint64_t tag,
                        PendingTransfer& transfer) {
  transfer.in_mailbox = true;
  send_in_order(place, {.tag = tag, .data = data, .bytes = bytes, .transfer = &transfer});
  return !transfer.in_mailbox;
}

// A message does not overtake messages that wait already.
void NodeMessages::send_in_order(int place, const Waiting& message) {
  if (sending_to(place) || !put(place, message)) at(place).waiting.push_back(message);
}

void NodeMessages::publish(int place, MailboxEntry& entry) {
  at_mailbox(place).put(own_, entry);
  if (tell_) tell_(place);
}

// Returns false if there is no room for the message now. Otherwise the send is over, unless the
// receiver has to read the message from the sender's memory.
bool NodeMessages::put(int place, const Waiting& message) {
  MailboxEntry* const entry = at_mailbox(place).room(own_);
  if (entry == nullptr) return false;
  entry->tag = message.tag;
  entry->bytes = static_cast<std::uint32_t>(message.bytes);
  bool over = true;
  if (message.answer) {
    write(*entry, EntryKind::answer, *message.answer);
  } else if (!put_copy(place, *entry, message.data, message.bytes)) {
    if (!copies_.readable) return false;
    request(*entry, message, place);
    over = false;
  }
  publish(place, *entry);
  if (over) message.transfer->in_mailbox = false;
  return true;
}

// Copies a message into the entry, or into a segment. Returns false if it is too long, or no
// segment is free.
bool NodeMessages::put_copy(int place, MailboxEntry& entry, const void* data, std::size_t bytes) {
  if (bytes <= MailboxEntry::capacity) {
    entry.kind = EntryKind::data;
    copy_bytes(entry.data.data(), data, bytes);
    return true;
  }
  const auto segment = bytes <= longest_copied_ ? pool_.take(place) : std::nullopt;
  if (!segment) return false;
  copy_bytes(pool_.segments().data(*segment), data, bytes);
  write(entry, EntryKind::segment, *segment);
  return true;
}

bool NodeMessages::send_at_once(int place, const void* data, std::size_t bytes, std::uint64_t tag) {
  MailboxEntry* const entry = sending_to(place) ? nullptr : at_mailbox(place).room(own_);
  if (entry == nullptr || !put_copy(place, *entry, data, bytes)) return false;
  entry->tag = tag;
  entry->bytes = static_cast<std::uint32_t>(bytes);
  publish(place, *entry);
  return true;
}

void NodeMessages::request(MailboxEntry& entry, const Waiting& message, int place) {
  PendingTransfer& transfer = *message.transfer;
  RequestToSend& request = transfer.send_request;
  request = requests_.open(transfer, message.data, message.bytes);
  transfer.place = place;
  request.piece_bytes = own_mailbox().segments().sizes().bytes;
  const bool helped = copies_.helped && request.bytes > request.piece_bytes &&
                      request.slot < Mailbox::claims_count &&
                      pieces_of(request) <= CopyClaims::most_pieces;
  if (helped) {
    own_mailbox().claims(request.slot).open(request.ticket);
    helped_.push_back(&transfer);
  } else {
    request.piece_bytes = 0;
  }
  write(entry, EntryKind::request, request);
}

bool NodeMessages::send_waiting(int place) {
  std::deque<Waiting>& waiting = at(place).waiting;
  bool moved = false;
  while (!waiting.empty() && put(place, waiting.front())) {
    PendingTransfer* const transfer = waiting.front().transfer;
    waiting.pop_front();
    moved = true;
    if (!transfer->in_mailbox) transfer->ended(*transfer, {});
  }
  return moved;
}

std::optional<Outcome::State> NodeMessages::receive(int place, void* data, std::size_t bytes,
                                                    std::uint64_t tag, PendingTransfer& transfer) {
  NodePeer& sender = at(place);
  const NodeReceive posted{tag, data, bytes, &transfer};
  const auto same_tag = [tag](const auto& other) { return other.tag == tag; };
  transfer.in_mailbox = true;
  const auto matched = [&](const Arrived& arrived) {
    const auto state = land(place, arrived, posted);
    if (state) transfer.in_mailbox = false;
    return state;
  };
  if (std::ranges::none_of(sender.posted, same_tag)) {
    const auto kept = std::ranges::find_if(sender.unexpected, same_tag);
    if (kept != sender.unexpected.end()) {
      const auto state = matched({kept->kind, kept->bytes, kept->data()});
      sender.unexpected.erase(kept);
      return state;
    }
    const MailboxEntry* const next = own_mailbox().next(place);
    if (next != nullptr && is_message(next->kind) && same_tag(*next)) {
      const auto state = matched(read(place, *next));
      let_go(place, *next);
      return state;
    }
  }
  sender.posted.push_back(posted);
  return std::nullopt;
}

bool NodeMessages::receive_at_once(int place, void* data, std::size_t bytes, std::uint64_t tag) {
  NodePeer& sender = at(place);
  const auto same_tag = [tag](const auto& other) { return other.tag == tag; };
  const auto copied = [&](const Arrived& arrived) {
    if (arrived.kind == EntryKind::request || arrived.bytes != bytes) return false;
    copy_bytes(data, arrived.payload, bytes);
    return true;
  };
  if (std::ranges::any_of(sender.posted, same_tag)) return false;
  const auto kept = std::ranges::find_if(sender.unexpected, same_tag);
  if (kept != sender.unexpected.end()) {
    if (!copied({kept->kind, kept->bytes, kept->data()})) return false;
    sender.unexpected.erase(kept);
    return true;
  }
  const MailboxEntry* const next = own_mailbox().next(place);
  if (next == nullptr || !is_message(next->kind) || !same_tag(*next)) return false;
  if (!copied(read(place, *next))) return false;
  let_go(place, *next);
  return true;
}

NodeMessages::Arrived NodeMessages::read(int place, const MailboxEntry& entry) const {
  switch (entry.kind) {
    case EntryKind::segment:
      return {entry.kind, entry.bytes,
              at_mailbox(place).segments().data(note_in<std::uint32_t>(entry.data.data()))};
    case EntryKind::request:
      return {entry.kind, note_in<RequestToSend>(entry.data.data()).bytes, entry.data.data()};
    default: return {entry.kind, entry.bytes, entry.data.data()};
  }
}

// Frees the entry of a message, and the segment if the message lies in one.
void NodeMessages::let_go(int place, const MailboxEntry& entry) {
  if (entry.kind == EntryKind::segment)
    at_mailbox(place).segments().release(note_in<std::uint32_t>(entry.data.data()));
  own_mailbox().take(place);
}

// Gives a message to the receive that it matches. Returns how the receive ends; nullopt if the
// message must first be read from the sender's memory.
std::optional<Outcome::State> NodeMessages::land(int place, const Arrived& arrived,
                                                 const NodeReceive& posted) {
  if (arrived.bytes != posted.bytes) return Outcome::State::wrong_length;
  if (arrived.kind != EntryKind::request) {
    copy_bytes(posted.data, arrived.payload, arrived.bytes);
    return Outcome::State::complete;
  }
  PendingTransfer& transfer = *posted.transfer;
  transfer.send_request = note_in<RequestToSend>(arrived.payload);
  transfer.place = place;
  transfer.destination = posted.data;
  transfer.left = posted.bytes;
  readings_.push_back(&transfer);
  return std::nullopt;
}

bool NodeMessages::progress() {
  if (any_cancelled_) end_cancelled();
  bool moved = false;
  for (int place = 0; place < static_cast<int>(peers_.size()); ++place) {
    moved |= take_in(place);
    moved |= send_waiting(place);
  }
  // Receiving comes before helping: this rank's senders can do without its help, but its receives
  // cannot do without the reading.
  return (!readings_.empty() && read_on()) || (!helped_.empty() && help()) || moved;
}

bool NodeMessages::take_in(int place) {
  NodePeer& sender = at(place);
  bool moved = false;
  while (const MailboxEntry* const next = own_mailbox().next(place)) {
    moved = true;
    if (!is_message(next->kind)) {
      take_in_note(place, *next);
      continue;
    }
    const Arrived arrived = read(place, *next);
    const auto posted = std::ranges::find(sender.posted, next->tag, &NodeReceive::tag);
    if (posted == sender.posted.end()) {
      sender.unexpected.emplace_back(next->tag, arrived);
      let_go(place, *next);
      continue;
    }
    PendingTransfer& transfer = *posted->transfer;
    const auto state = land(place, arrived, *posted);
    sender.posted.erase(posted);
    let_go(place, *next);
    if (state) end(transfer, {*state});
  }
  return moved;
}

NodeMessages::UnexpectedMessage::UnexpectedMessage(std::uint64_t tag, const Arrived& arrived)
    : kind(arrived.kind), tag(tag), bytes(arrived.bytes) {
  if (kind == EntryKind::segment) {
    in_segment = std::make_unique_for_overwrite<std::byte[]>(bytes);
    copy_bytes(in_segment.get(), arrived.payload, bytes);
  } else {
    const std::size_t used = kind == EntryKind::request ? sizeof(RequestToSend) : bytes;
    copy_bytes(in_entry.data(), arrived.payload, used);
  }
}

void NodeMessages::take_in_note(int place, const MailboxEntry& entry) {
  if (entry.kind == EntryKind::answer) {
    const auto answer = note_in<MessageTicket>(entry.data.data());
    own_mailbox().take(place);
    PendingTransfer* const transfer = requests_.acknowledge(answer.slot, answer.ticket);
    if (transfer == nullptr) return;  // withdrawn meanwhile
    std::erase(helped_, transfer);
    end(*transfer, {});
    return;
  }
  const auto piece = note_in<PieceNote>(entry.data.data());
  own_mailbox().take(place);
  const auto reading = std::ranges::find_if(readings_, [&](const PendingTransfer* transfer) {
    return transfer->place == place && transfer->send_request.slot == piece.message.slot &&
           transfer->send_request.ticket == piece.message.ticket;
  });
  const Segments segments = at_mailbox(place).segments();
  // The receive has been cancelled, so nobody wants the piece.
  if (reading == readings_.end()) return segments.release(piece.segment);
  PendingTransfer& transfer = **reading;
  const auto begin = Clock::now();
  copy_bytes(static_cast<std::byte*>(transfer.destination) + piece.offset,
             segments.data(piece.segment), piece.bytes);
  double& taking = at(place).speed.taking;
  const double last = seconds_per_byte(begin, piece.bytes);
  taking =
      taking == 0
          ? last
          : std::min(last,
                     2 * taking);  // one measurement may be too long because of an interruption
  segments.release(piece.segment);
  count_down(transfer, piece.bytes);
}

// Reads from the first long message of which pieces are left that the sender has not claimed. It
// reads at most about as much as all segments hold, so that other messages have a turn.
bool NodeMessages::read_on() {
  for (PendingTransfer* const transfer : readings_) {
    std::size_t done = read_part_of(*transfer);
    if (done == 0) continue;
    const int place = transfer->place;
    const auto goes_on = [&] { return std::ranges::find(readings_, transfer) != readings_.end(); };
    while (done < most_at_once_ && goes_on()) {
      take_in(place);  // takes the sender's pieces, so that the sender finds free segments
      const std::size_t more = goes_on() ? read_part_of(*transfer) : 0;
      if (more == 0) break;
      done += more;
    }
    return true;
  }
  return false;
}

// Returns the number of bytes read; 0 if the sender has claimed all that is left. May end the
// transfer.
std::size_t NodeMessages::read_part_of(PendingTransfer& transfer) {
  const RequestToSend& request = transfer.send_request;
  std::size_t offset = request.bytes - transfer.left;
  std::size_t bytes = std::min(transfer.left, most_at_once_);
  if (request.piece_bytes > 0) {
    CopyClaims& claims = at_mailbox(transfer.place).claims(request.slot);
    const auto range =
        claims.claim_back(request.ticket, pieces_of(request), most_at_once_ / request.piece_bytes,
                          at(transfer.place).speed.wants_help());
    if (!range) {
      if (!claims.concerns(request.ticket)) end_reading(transfer, {Outcome::State::withdrawn});
      return 0;
    }
    offset = range->first * request.piece_bytes;
    bytes = std::min(range->count * request.piece_bytes, request.bytes - offset);
  }
  auto* const destination = static_cast<std::byte*>(transfer.destination) + offset;
  const auto begin = Clock::now();
  if (read_part(at_mailbox(transfer.place).process(), request, offset, bytes, destination)) {
    at(transfer.place).speed.reading = seconds_per_byte(begin, bytes);
    count_down(transfer, bytes);
  } else {
    end_reading(transfer, Outcome::failure(std::strerror(errno)));
  }
  return bytes;
}

void NodeMessages::count_down(PendingTransfer& transfer, std::size_t bytes) {
  transfer.left -= bytes;
  if (transfer.left > 0) return;
  switch (confirm_read(at_mailbox(transfer.place).process(), transfer.send_request)) {
    case ReadResult::complete: return end_reading(transfer, {});
    case ReadResult::withdrawn: return end_reading(transfer, {Outcome::State::withdrawn});
    case ReadResult::failed: return end_reading(transfer, Outcome::failure(std::strerror(errno)));
  }
}

void NodeMessages::end_reading(PendingTransfer& transfer, Outcome outcome) {
  std::erase(readings_, &transfer);
  transfer.destination = nullptr;
  if (outcome.state != Outcome::State::complete) return end(transfer, outcome);
  // The receive is complete only when the answer is sent, since the sender waits for it.
  const RequestToSend& request = transfer.send_request;
  send_in_order(transfer.place,
                {.transfer = &transfer, .answer = MessageTicket{request.slot, request.ticket}});
  if (!transfer.in_mailbox) end(transfer, outcome);
}

bool NodeMessages::help() {
  return std::ranges::any_of(helped_,
                             [this](PendingTransfer* transfer) { return help_with(*transfer); });
}

// Sends a piece if the receiver wants help and there is room for the piece.
bool NodeMessages::help_with(PendingTransfer& transfer) {
  const RequestToSend& request = transfer.send_request;
  CopyClaims& claims = own_mailbox().claims(request.slot);
  if (transfer.cancelled || !claims.wants_help(request.ticket, pieces_of(request))) return false;
  if (sending_to(transfer.place)) return false;
  MailboxEntry* const entry = at_mailbox(transfer.place).room(own_);
  const auto segment = entry != nullptr ? pool_.take(transfer.place) : std::nullopt;
  if (!segment) return false;
  const auto number = claims.claim_front(request.ticket, pieces_of(request));
  if (!number) {
    pool_.segments().release(*segment);
    return false;
  }
  const std::uint64_t offset = *number * request.piece_bytes;
  const std::size_t bytes = std::min(request.piece_bytes, request.bytes - offset);
  copy_bytes(pool_.segments().data(*segment), request.start() + offset, bytes);
  write(*entry, EntryKind::piece,
        PieceNote{
            {request.slot, request.ticket}, offset, *segment, static_cast<std::uint32_t>(bytes)});
  publish(transfer.place, *entry);
  return true;
}

void NodeMessages::cancel(PendingTransfer& transfer) {
  transfer.cancelled = any_cancelled_ = true;
}

void NodeMessages::lose(int place) {
  at(place).lost = any_cancelled_ = true;
}

void NodeMessages::end_cancelled() {
  any_cancelled_ = false;
  std::vector<PendingTransfer*> cancelled;
  const auto take_out = [&cancelled](auto& transfers, auto transfer_of) {
    std::erase_if(transfers, [&](const auto& one) {
      PendingTransfer* const transfer = transfer_of(one);
      if (transfer->cancelled) cancelled.push_back(transfer);
      return transfer->cancelled;
    });
  };
  for (NodePeer& peer : peers_) {
    take_out(peer.posted, [](const NodeReceive& posted) { return posted.transfer; });
    take_out(peer.waiting, [](const Waiting& waiting) { return waiting.transfer; });
  }
  take_out(readings_, [](PendingTransfer* transfer) { return transfer; });
  std::vector<PendingTransfer*> lost;
  withdraw_requests(cancelled, lost);
  for (PendingTransfer* const transfer : cancelled) {
    transfer->destination = nullptr;
    end(*transfer, {Outcome::State::cancelled});
  }
  for (PendingTransfer* const transfer : lost)
    end(*transfer, Outcome::failure("it is gone before it has read a message"));
}

// Takes back requests that were cancelled, and requests to ranks that are gone. A request made a
// moment ago may just be read, so it stands until request_stands has passed.
void NodeMessages::withdraw_requests(std::vector<PendingTransfer*>& cancelled,
                                     std::vector<PendingTransfer*>& lost) {
  const auto now = Clock::now();
  for (PendingTransfer* const transfer : requests_.standing()) {
    const bool is_lost = at(transfer->place).lost;
    if (!is_lost && !transfer->cancelled) continue;
    const RequestToSend& request = transfer->send_request;
    if (now < request.made + request_stands) {
      any_cancelled_ = true;
      continue;
    }
    if (request.piece_bytes > 0) own_mailbox().claims(request.slot).close(request.ticket);
    requests_.withdraw(request.slot);
    std::erase(helped_, transfer);
    (is_lost ? lost : cancelled).push_back(transfer);
  }
}

bool NodeMessages::holds(int place, std::uint64_t tag) const {
  return std::ranges::find(at(place).unexpected, tag, &UnexpectedMessage::tag) !=
         at(place).unexpected.end();
}

bool NodeMessages::fall_asleep() {
  own_mailbox().set_asleep(true);
  bool idle = !any_cancelled_;
  for (int place = 0; place < static_cast<int>(peers_.size()); ++place)
    idle = idle && !sending_to(place) && own_mailbox().next(place) == nullptr;
  if (!idle) wake_up();
  return idle;
}

}  // namespace cuboid::detail
