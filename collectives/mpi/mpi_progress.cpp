// Part of MpiCarrier: completed requests, incoming envelopes, and the sleep until something
// happens.
#include "collectives/bootstrap/mpi_status.hpp"
#include "collectives/bootstrap/simulated.hpp"
#include "collectives/mpi/mpi_carrier.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

namespace cuboid::detail {

bool MpiCarrier::progress() {
  if (!domain_) return false;
  bool moved = std::exchange(slept_through_something_, false);
  for (PendingTransfer* const transfer : std::exchange(cancelled_, {})) {
    transfer->request = nullptr;
    transfer->ended(*transfer, {Outcome::State::cancelled});
    moved = true;
  }
  // A simulated rank looks at completed requests only while it waits: no time passes before, and
  // SMPI's tests switch to the simulation and back for every request.
  if (simulated) return moved;
  for (const MpiRequests::CompletedPart& ended : requests_.test()) moved |= after(ended);
  return deliver() || moved;
}

void MpiCarrier::sleep(std::chrono::microseconds longest) {
  if (!domain_ || !simulated) {
    std::this_thread::sleep_for(longest);
    return;
  }
  // Sleeps until something ends. The simulation itself detects waits that nothing will end.
  if (cancelled_.empty()) {
    for (const MpiRequests::CompletedPart& ended : requests_.wait()) after(ended);
    deliver();
  }
  slept_through_something_ = true;
}

// Deals with a part of a message that has ended. Returns true if that counts as progress.
bool MpiCarrier::after(const MpiRequests::CompletedPart& ended) {
  if (ended.error != MPI_SUCCESS) note_deaths();
  if (ended.message == nullptr) {
    return true;
  }
  MpiMessage& message = *ended.message;
  --message.parts;
  if (message.slot != MpiMessage::no_slot) {
    filled_[message.slot] = ended.status;
    full_[message.slot] = true;
    if (ended.error != MPI_SUCCESS) filled_[message.slot].MPI_SOURCE = MPI_PROC_NULL;
    requests_.free(message);
    return true;
  }
  if (message.timer_of) {
    requests_.free(message);
    return true;
  }
  int cancelled = 0;
  if (ended.error == MPI_SUCCESS) PMPI_Test_cancelled(&ended.status, &cancelled);
  message.cancelled |= cancelled != 0;
  message.failed |= ended.error != MPI_SUCCESS;
  int status = ended.error;
  if (!message.failed && !message.cancelled && !message.abandoned)
    status = requests_.go_on(message);
  message.failed |= status != MPI_SUCCESS;
  if (status != MPI_SUCCESS) note_failure(message.peer, status);
  if (message.parts > 0) return true;
  PendingTransfer* const transfer = message.transfer;
  MpiPeer& peer = at(message.peer);
  if (message.receiving && !message.own.empty() && !message.failed && !message.cancelled)
    fetched(peer, message);
  const Outcome outcome = message.failed      ? Outcome::failure(reason_.c_str())
                          : message.cancelled ? Outcome{Outcome::State::cancelled}
                                              : Outcome{};
  const bool received = message.receiving;
  requests_.free(message);
  if (transfer != nullptr) {
    transfer->request = nullptr;
    transfer->ended(*transfer, outcome);
  }
  if (received && --peer.receives == 0) deliver_notices(peer);
  return transfer != nullptr;
}

// Takes in envelopes in the order in which their receives were posted, because that is the order in
// which they were sent.
bool MpiCarrier::deliver() {
  bool any = false;
  while (domain_ && full_[next_envelope_]) {
    const std::size_t slot = next_envelope_;
    next_envelope_ = (slot + 1) % envelopes_posted;
    any = true;
    int bytes = 0;
    PMPI_Get_count(&filled_[slot], MPI_BYTE, &bytes);
    if (filled_[slot].MPI_SOURCE != MPI_PROC_NULL)
      take_in(filled_[slot].MPI_SOURCE,
              std::span(envelopes_[slot]).first(static_cast<std::size_t>(bytes)));
    if (domain_) post_envelope(slot);
  }
  return any;
}

void MpiCarrier::take_in(int number, std::span<const std::byte> message) {
  Envelope envelope;
  if (message.size() < sizeof envelope) return;
  std::memcpy(&envelope, message.data(), sizeof envelope);
  if (envelope.instance != instance_) return;  // it was sent to an earlier carrier
  const auto inside = message.subspan(sizeof envelope);
  MpiPeer& peer = at(number);
  if (envelope.kind == EnvelopeKind::word) {
    if (envelope.word != ControlMessage::notice) {
      take_in_word(envelope, inside);
      return;
    }
    peer.notices.push_back({envelope, {inside.begin(), inside.end()}});
    for (Come& come : peer.come) fetch(number, come);
    if (peer.receives == 0) deliver_notices(peer);
    return;
  }
  const auto posted = std::ranges::find_if(
      peer.posted, [&](const PostedReceive& one) { return one.tag == envelope.tag; });
  if (posted == peer.posted.end()) {
    peer.come.push_back({envelope, {inside.begin(), inside.end()}});
    return;
  }
  const PostedReceive receive = *posted;
  peer.posted.erase(posted);
  land(number, envelope, inside, receive);
}

void MpiCarrier::deliver_notices(MpiPeer& peer) {
  for (const DelayedNotice& notice : std::exchange(peer.notices, {}))
    take_in_word(notice.envelope, notice.inside);
}

void MpiCarrier::take_in_word(const Envelope& envelope, std::span<const std::byte> inside) {
  const Listener& to = listener(envelope.word);
  if (to.receive == nullptr || envelope.header_bytes > inside.size()) return;
  const auto text = inside.subspan(envelope.header_bytes);
  to.receive(to.self, inside.first(envelope.header_bytes),
             {reinterpret_cast<const char*>(text.data()), text.size()});
}

void MpiCarrier::post_envelope(std::size_t slot) {
  MpiMessage& message = requests_.make();
  message.slot = slot;
  full_[slot] = false;
  const int status =
      requests_.receive(message, envelopes_[slot].data(), envelope_bytes, MPI_ANY_SOURCE,
                        MpiDomain::envelope_tag(instance_), domain_->communicator());
  require_mpi(status, "MPI_Irecv");
}

}  // namespace cuboid::detail
