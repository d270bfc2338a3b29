#include "collectives/mpi/mpi_carrier.hpp"

#include <cuboid/error.hpp>

#include "collectives/carrier/memory_in_node.hpp"
#include "collectives/mpi/mpi_deaths.hpp"
#include "collectives/mpi/mpi_status.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include <sched.h>

namespace cuboid::detail {

namespace {

constexpr std::chrono::seconds cancel_patience{3};

}  // namespace

MpiCarrier::MpiCarrier(std::shared_ptr<MpiDomain> domain, bool alone_on_node)
    : domain_(std::move(domain)),
      instance_(domain_->next_instance()),
      alone_on_node_(alone_on_node),
      envelopes_(envelopes_posted, std::vector<std::byte>(envelope_bytes)),
      filled_(envelopes_posted),
      full_(envelopes_posted) {
  for (std::size_t slot = 0; slot < envelopes_posted; ++slot) post_envelope(slot);
  domain_->add(this, [this] { close_domain(); });
}

MpiCarrier::~MpiCarrier() {
  stop();
}

// The program frees its communicator, or finalises MPI, while this is in use.
void MpiCarrier::close_domain() {
  say_closes();
  stop();
}

void MpiCarrier::stop() {
  if (!domain_) return;
  const auto until = Clock::now() + cancel_patience;
  requests_.for_each([this](MpiMessage& message) {
    if (message.receiving) requests_.cancel(message);
  });
  const auto receives = [](const MpiMessage& message) { return message.receiving; };
  while (requests_.any(receives) && Clock::now() < until) requests_.test();
  requests_.abandon([](const MpiMessage&) { return true; });
  domain_->remove(this);
  domain_.reset();
  for (auto& [number, peer] : peers_) {
    peer.open = false;
    peer.ended = true;
  }
}

std::vector<std::string> MpiCarrier::ways() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view version(text.data(), static_cast<std::size_t>(length));
  return {"mpi/" + std::string(version.substr(0, version.find_first_of(",\n")))};
}

bool MpiCarrier::is_open(int peer) const {
  const auto found = peers_.find(peer);
  return found != peers_.end() && found->second.open;
}

bool MpiCarrier::has_ended(int peer) const {
  const auto found = peers_.find(peer);
  return !domain_ || (found != peers_.end() && found->second.ended);
}

const char* MpiCarrier::open(int peer) {
  if (!domain_) return "MPI was finalised, or the communicator was freed, before Cuboid's ended";
  at(peer).open = true;
  return nullptr;
}

void MpiCarrier::close(int peer) {
  at(peer).open = false;
  closing_ = true;
}

void MpiCarrier::cut(int peer) {
  Peer& other = at(peer);
  other.open = false;
  for (const Posted& receive : std::exchange(other.posted, {})) {
    receive.transfer->request = nullptr;
    receive.transfer->ended(*receive.transfer, Outcome::failure("the connection was cut"));
  }
  std::vector<PendingTransfer*> ended;
  requests_.for_each([&](MpiMessage& message) {
    if (message.slot != MpiMessage::no_slot || message.peer != peer) return;
    requests_.cancel(message);
    message.abandoned = true;
    if (message.transfer != nullptr) ended.push_back(std::exchange(message.transfer, nullptr));
  });
  for (PendingTransfer* const transfer : ended) {
    if (transfer->request == nullptr) continue;  // had several parts
    transfer->request = nullptr;
    transfer->ended(*transfer, Outcome::failure("the connection was cut"));
  }
}

void MpiCarrier::settle(std::chrono::duration<double> patience) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  const auto awaited = [this](const MpiMessage& message) {
    return !message.receiving && !message.abandoned && (closing_ || message.transfer == nullptr);
  };
  while (domain_ && requests_.any(awaited) && Clock::now() < until) {
    if (!progress()) sched_yield();
  }
  requests_.for_each([&](MpiMessage& message) {
    if (awaited(message)) message.abandoned = true;
  });
  closing_ = false;
}

void MpiCarrier::post_envelope(std::size_t slot) {
  MpiMessage& message = requests_.make();
  message.receiving = true;
  message.slot = slot;
  full_[slot] = false;
  const int status =
      requests_.receive(message, envelopes_[slot].data(), envelope_bytes, MPI_ANY_SOURCE,
                        MpiDomain::envelope_tag(instance_), domain_->communicator());
  require_mpi(status, "MPI_Irecv");
}

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
    // Copied, so the caller has its memory back at once; only a simulated rank may do nothing for
    // the message any more, once it believes it gone.
    if (send_envelope(peer, envelope, memory, {}, simulated ? &transfer : nullptr))
      return {simulated ? Outcome::State::under_way : Outcome::State::complete};
    return Outcome::failure(reason_.c_str());
  }
  envelope.kind = Kind::announcement;
  envelope.data_tag = domain_->next_data_tag();
  if (!send_envelope(peer, envelope, {}, {})) return Outcome::failure(reason_.c_str());
  MpiMessage& message = requests_.make();
  message.peer = peer;
  message.transfer = &transfer;
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

Outcome MpiCarrier::say(int peer, Word word, std::span<const std::byte> header,
                        std::string_view text, PendingTransfer*) {
  if (!domain_) return Outcome::failure("MPI was finalised");
  const std::size_t room = longest_inside - header.size();
  const std::string_view short_text = text.substr(0, room);
  const Envelope envelope{.bytes = header.size() + short_text.size(),
                          .instance = instance_,
                          .kind = Kind::word,
                          .word = word,
                          .header_bytes = static_cast<std::uint8_t>(header.size())};
  if (send_envelope(peer, envelope, header, std::as_bytes(std::span(short_text)))) return {};
  return Outcome::failure(reason_.c_str());
}

Outcome MpiCarrier::receive(int peer, void* data, std::size_t bytes, std::uint64_t tag,
                            PendingTransfer& transfer) {
  if (!domain_) return Outcome::failure("MPI was finalised");
  Peer& sender = at(peer);
  transfer.expected = bytes;
  const Posted receive{tag, data, &transfer};
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
  if (message.envelope.kind == Kind::message) {
    if (bytes > 0) std::memcpy(data, message.inside.data(), bytes);
    return {};
  }
  land(peer, message.envelope, {}, receive);
  return {Outcome::State::under_way};
}

// A message and its receive have met, outside of receive().
void MpiCarrier::land(int peer, const Envelope& envelope, std::span<const std::byte> inside,
                      const Posted& receive) {
  PendingTransfer& transfer = *receive.transfer;
  if (envelope.bytes == transfer.expected && envelope.kind == Kind::announcement) {
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
  if (!inside.empty()) std::memcpy(receive.data, inside.data(), inside.size());
  transfer.ended(transfer, {});
}

int MpiCarrier::receive_data(MpiMessage& message, int peer, void* data, const Envelope& envelope) {
  message.peer = peer;
  message.receiving = true;
  const int status = requests_.receive(message, data, envelope.bytes, peer, envelope.data_tag,
                                       domain_->communicator());
  if (status == MPI_SUCCESS) ++at(peer).receives;
  return status;
}

// Lets the data of an announcement come to nowhere: its sender waits for somebody to take it.
void MpiCarrier::drop(int peer, const Envelope& envelope) {
  Come nowhere{envelope, {}};
  fetch(peer, nowhere);
}

void MpiCarrier::fetch(int peer, Come& come) {
  if (come.envelope.kind != Kind::announcement || come.fetching != nullptr) return;
  MpiMessage& message = requests_.make();
  message.own.resize(come.envelope.bytes);
  come.fetching = &message;
  if (receive_data(message, peer, message.own.data(), come.envelope) != MPI_SUCCESS)
    message.abandoned = true;
}

// The data of an announcement are in memory of their own: for a receive that was posted meanwhile,
// for one that will be, or for nobody.
void MpiCarrier::fetched(Peer& peer, MpiMessage& message) {
  if (message.destination != nullptr) {
    std::memcpy(message.destination, message.own.data(), message.own.size());
    return;
  }
  const auto come =
      std::ranges::find_if(peer.come, [&](const Come& one) { return one.fetching == &message; });
  if (come == peer.come.end()) return;
  come->fetching = nullptr;
  come->envelope.kind = Kind::message;
  come->inside = message.own;
}

void MpiCarrier::cancel(PendingTransfer& transfer) {
  for (auto& [number, peer] : peers_) {
    if (transfer.request != &peer) continue;
    const auto posted =
        std::erase_if(peer.posted, [&](const Posted& one) { return one.transfer == &transfer; });
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

bool MpiCarrier::progress() {
  if (!domain_) return false;
  bool moved = std::exchange(slept_through_something_, false);
  for (PendingTransfer* const transfer : std::exchange(cancelled_, {})) {
    transfer->request = nullptr;
    transfer->ended(*transfer, {Outcome::State::cancelled});
    moved = true;
  }
  for (const MpiRequests::Ended& ended : requests_.test()) moved |= after(ended);
  return deliver() || moved;
}

void MpiCarrier::sleep(std::chrono::milliseconds longest) {
  if (!domain_) {
    std::this_thread::sleep_for(longest);
    return;
  }
  if (simulated) {
    // Until something ends: the simulation itself finds waits that nothing will end.
    if (cancelled_.empty()) {
      for (const MpiRequests::Ended& ended : requests_.wait()) after(ended);
      deliver();
    }
    slept_through_something_ = true;
    return;
  }
  // MPI has no event that ends a sleep.
  constexpr std::chrono::microseconds shortest_nap{20};
  constexpr std::chrono::microseconds longest_nap{500};
  const auto until = Clock::now() + longest;
  for (auto nap = shortest_nap; Clock::now() < until; nap = std::min(nap * 2, longest_nap)) {
    std::this_thread::sleep_for(nap);
    if (!progress()) continue;
    slept_through_something_ = true;
    return;
  }
}

// One part of a message has ended. Returns whether that is progress.
bool MpiCarrier::after(const MpiRequests::Ended& ended) {
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
  int cancelled = 0;
  if (ended.error == MPI_SUCCESS) MPI_Test_cancelled(&ended.status, &cancelled);
  message.cancelled |= cancelled != 0;
  message.failed |= ended.error != MPI_SUCCESS;
  if (ended.error != MPI_SUCCESS) note_failure(message.peer, ended.error);
  if (message.parts > 0) return true;
  PendingTransfer* const transfer = message.transfer;
  Peer& peer = at(message.peer);
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
  if (received && --peer.receives == 0) hear_notices(peer);
  return transfer != nullptr;
}

// Envelopes in the order in which their receives were posted: that is the order they were sent in.
bool MpiCarrier::deliver() {
  bool any = false;
  while (domain_ && full_[next_envelope_]) {
    const std::size_t slot = next_envelope_;
    next_envelope_ = (slot + 1) % envelopes_posted;
    any = true;
    int bytes = 0;
    MPI_Get_count(&filled_[slot], MPI_BYTE, &bytes);
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
  if (envelope.instance != instance_) return;  // of a carrier that is no more
  const auto inside = message.subspan(sizeof envelope);
  Peer& peer = at(number);
  if (envelope.kind == Kind::word) {
    if (envelope.word != Word::notice) {
      take_in_word(envelope, inside);
      return;
    }
    peer.notices.push_back({envelope, {inside.begin(), inside.end()}});
    for (Come& come : peer.come) fetch(number, come);
    if (peer.receives == 0) hear_notices(peer);
    return;
  }
  const auto posted =
      std::ranges::find_if(peer.posted, [&](const Posted& one) { return one.tag == envelope.tag; });
  if (posted == peer.posted.end()) {
    peer.come.push_back({envelope, {inside.begin(), inside.end()}});
    return;
  }
  const Posted receive = *posted;
  peer.posted.erase(posted);
  land(number, envelope, inside, receive);
}

void MpiCarrier::hear_notices(Peer& peer) {
  for (const Notice& notice : std::exchange(peer.notices, {}))
    take_in_word(notice.envelope, notice.inside);
}

void MpiCarrier::take_in_word(const Envelope& envelope, std::span<const std::byte> inside) {
  const Listener& to = listener(envelope.word);
  if (to.hear == nullptr || envelope.header_bytes > inside.size()) return;
  const auto text = inside.subspan(envelope.header_bytes);
  to.hear(to.self, inside.first(envelope.header_bytes),
          {reinterpret_cast<const char*>(text.data()), text.size()});
}

void MpiCarrier::note_failure(int peer, int status) {
  reason_ = "MPI: " + text_of_mpi_error(status);
  if (std::exchange(at(peer).ended, true)) return;
  say_ended(peer, reason_.c_str());
}

// A receive from anyone cannot end while the death of somebody has not been taken note of.
void MpiCarrier::note_deaths() {
  for (const int peer : take_note_of_deaths(domain_->communicator())) {
    reason_ = "MPI has found it dead";
    if (!std::exchange(at(peer).ended, true)) say_ended(peer, reason_.c_str());
  }
}

std::unique_ptr<ExposedMemory> MpiCarrier::expose(std::size_t bytes) {
  return expose_in_node(bytes, alone_on_node_);
}

std::unique_ptr<ReachedMemory> MpiCarrier::reach(int, std::span<const std::byte> key,
                                                 std::span<std::byte> there, bool) {
  return reach_in_node(key, there.size());
}

std::unique_ptr<RemoteRequest> MpiCarrier::flush() {
  throw Error(ErrorCode::internal, "MPI's transport has started no put or get by itself");
}

}  // namespace cuboid::detail
