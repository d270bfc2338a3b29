// Part of MpiCarrier: messages and their receives, which find each other by the envelopes that go
// ahead of the data.
#include "base/copy_bytes.hpp"
#include "collectives/bootstrap/mpi_status.hpp"
#include "collectives/bootstrap/simulated.hpp"
#include "collectives/mpi/mpi_carrier.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

bool MpiCarrier::send_envelope(int peer, const Envelope& envelope, std::span<const std::byte> first,
                               std::span<const std::byte> second, PendingTransfer* transfer) {
  MpiMessage& message = requests_.make();
  message.peer = peer;
  message.transfer = transfer;
  if (transfer != nullptr) transfer->request = &message;
  const auto bytes = std::as_bytes(std::span(&envelope, 1));
  message.own.assign(bytes.begin(), bytes.end());
  message.own.insert(message.own.end(), first.begin(), first.end());
  message.own.insert(message.own.end(), second.begin(), second.end());
  const int status = requests_.send(message, message.own.data(), message.own.size(),
                                    MpiDomain::envelope_tag(instance_), domain_->communicator());
  if (status == MPI_SUCCESS) return true;
  requests_.free(message);
  note_failure(peer, status);
  return false;
}

Outcome MpiCarrier::send(int peer, const void* data, std::size_t bytes, std::uint64_t tag,
                         PendingTransfer& transfer) {
  if (!domain_) return Outcome::failure("MPI was finalised");
  Envelope envelope{.tag = tag, .bytes = bytes, .instance = instance_};
  const std::span memory(static_cast<const std::byte*>(data), bytes);
  if (bytes <= longest_inside) {
    // The data is copied, so the caller has its memory back at once. Only a simulated rank waits
    // for the message to leave: if it took the message for sent, it might make no more progress.
    if (send_envelope(peer, envelope, memory, {}, simulated ? &transfer : nullptr))
      return {simulated ? Outcome::State::under_way : Outcome::State::complete};
    return Outcome::failure(reason_.c_str());
  }
  envelope.kind = EnvelopeKind::announcement;
  envelope.data_tag = domain_->next_data_tag();
  envelope.part_bytes = part_bytes_to(peer);
  if (!send_envelope(peer, envelope, {}, {})) return Outcome::failure(reason_.c_str());
  MpiMessage& message = requests_.make();
  message.peer = peer;
  message.transfer = &transfer;
  message.part_bytes = envelope.part_bytes;
  const int status =
      requests_.send(message, data, bytes, envelope.data_tag, domain_->communicator());
  if (status != MPI_SUCCESS) {
    message.abandoned = true;
    message.transfer = nullptr;
    note_failure(peer, status);
    return Outcome::failure(reason_.c_str());
  }
  transfer.request = &message;
  return {Outcome::State::under_way};
}

Outcome MpiCarrier::send_control(int peer, ControlMessage word, std::span<const std::byte> header,
                                 std::string_view text, PendingTransfer*) {
  if (!domain_) return Outcome::failure("MPI was finalised");
  const std::size_t room = longest_inside - header.size();
  const std::string_view short_text = text.substr(0, room);
  const Envelope envelope{.bytes = header.size() + short_text.size(),
                          .instance = instance_,
                          .kind = EnvelopeKind::word,
                          .word = word,
                          .header_bytes = static_cast<std::uint8_t>(header.size())};
  if (send_envelope(peer, envelope, header, std::as_bytes(std::span(short_text)))) return {};
  return Outcome::failure(reason_.c_str());
}

Outcome MpiCarrier::receive(int peer, void* data, std::size_t bytes, std::uint64_t tag,
                            PendingTransfer& transfer) {
  if (!domain_) return Outcome::failure("MPI was finalised");
  MpiPeer& sender = at(peer);
  transfer.expected = bytes;
  const PostedReceive receive{tag, data, &transfer};
  const auto come =
      std::ranges::find_if(sender.come, [tag](const Come& one) { return one.envelope.tag == tag; });
  if (come == sender.come.end()) {
    transfer.request = &sender;
    sender.posted.push_back(receive);
    return {Outcome::State::under_way};
  }
  const Come message = std::move(*come);
  sender.come.erase(come);
  if (message.fetching != nullptr && message.envelope.bytes == bytes) {
    message.fetching->transfer = &transfer;
    message.fetching->destination = data;
    transfer.request = message.fetching;
    return {Outcome::State::under_way};
  }
  if (message.envelope.bytes != bytes) {
    drop(peer, message.envelope);
    return {Outcome::State::wrong_length};
  }
  if (message.envelope.kind == EnvelopeKind::message) {
    copy_bytes(data, message.inside.data(), bytes);
    return {};
  }
  land(peer, message.envelope, {}, receive);
  return {Outcome::State::under_way};
}

// Called when a message and its receive have met. Copies short data, or starts to receive long
// data. receive() copies short data itself.
void MpiCarrier::land(int peer, const Envelope& envelope, std::span<const std::byte> inside,
                      const PostedReceive& receive) {
  PendingTransfer& transfer = *receive.transfer;
  if (envelope.bytes == transfer.expected && envelope.kind == EnvelopeKind::announcement) {
    MpiMessage& message = requests_.make();
    message.transfer = &transfer;
    transfer.request = &message;
    const int status = receive_data(message, peer, receive.data, envelope);
    if (status == MPI_SUCCESS) return;
    note_failure(peer, status);
    message.abandoned = true;
    message.transfer = nullptr;
    transfer.request = nullptr;
    transfer.ended(transfer, Outcome::failure(reason_.c_str()));
    return;
  }
  transfer.request = nullptr;
  if (envelope.bytes != transfer.expected) {
    drop(peer, envelope);
    transfer.ended(transfer, {Outcome::State::wrong_length});
    return;
  }
  copy_bytes(receive.data, inside.data(), inside.size());
  transfer.ended(transfer, {});
}

int MpiCarrier::receive_data(MpiMessage& message, int peer, void* data, const Envelope& envelope) {
  message.part_bytes = envelope.part_bytes;
  const int status = requests_.receive(message, data, envelope.bytes, peer, envelope.data_tag,
                                       domain_->communicator());
  if (status == MPI_SUCCESS) ++at(peer).receives;
  return status;
}

// Receives the data of an announcement and drops it, because the sender waits for that.
void MpiCarrier::drop(int peer, const Envelope& envelope) {
  Come nowhere{envelope, {}};
  fetch(peer, nowhere);
}

void MpiCarrier::fetch(int peer, Come& come) {
  if (come.envelope.kind != EnvelopeKind::announcement || come.fetching != nullptr) return;
  MpiMessage& message = requests_.make();
  message.own.resize(come.envelope.bytes);
  come.fetching = &message;
  if (receive_data(message, peer, message.own.data(), come.envelope) != MPI_SUCCESS)
    message.abandoned = true;
}

// The data of an announcement has arrived in memory of its own. It is copied for a receive that was
// posted meanwhile, kept for a later receive, or dropped.
void MpiCarrier::fetched(MpiPeer& peer, MpiMessage& message) {
  if (message.destination != nullptr) {
    copy_bytes(message.destination, message.own.data(), message.own.size());
    return;
  }
  const auto come =
      std::ranges::find_if(peer.come, [&](const Come& one) { return one.fetching == &message; });
  if (come == peer.come.end()) return;
  come->fetching = nullptr;
  come->envelope.kind = EnvelopeKind::message;
  come->inside = message.own;
}

void MpiCarrier::cancel(PendingTransfer& transfer) {
  for (auto& [number, peer] : peers_) {
    if (transfer.request != &peer) continue;
    const auto posted = std::erase_if(
        peer.posted, [&](const PostedReceive& one) { return one.transfer == &transfer; });
    if (posted > 0) cancelled_.push_back(&transfer);
    return;
  }
  requests_.cancel(*static_cast<MpiMessage*>(transfer.request));
}

bool MpiCarrier::has_come(int peer, std::uint64_t tag) {
  return std::ranges::any_of(at(peer).come,
                             [tag](const Come& one) { return one.envelope.tag == tag; });
}

void MpiCarrier::drop_unmatched(std::chrono::duration<double> patience) {
  if (!domain_) return;
  for (auto& [number, peer] : peers_) {
    for (Come& one : peer.come) fetch(number, one);
  }
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  const auto dropped = [](const MpiMessage& message) {
    return message.receiving && message.slot == MpiMessage::no_slot && message.transfer == nullptr;
  };
  while (requests_.any(dropped) && Clock::now() < until) progress();
  for (auto& [number, peer] : peers_) peer.come.clear();
}

}  // namespace cuboid::detail
