#include "collectives/mpi/mpi_carrier.hpp"

#include <cuboid/error.hpp>

#include "collectives/bootstrap/mpi_status.hpp"
#include "collectives/carrier/memory_in_node.hpp"
#include "collectives/mpi/mpi_deaths.hpp"

#include <algorithm>
#include <utility>

#include <sched.h>

namespace cuboid::detail {

namespace {

constexpr std::chrono::seconds cancel_patience{3};

}  // namespace

MpiCarrier::MpiCarrier(std::shared_ptr<MpiDomain> domain, std::vector<int> on_node,
                       std::size_t part_bytes)
    : domain_(std::move(domain)),
      instance_(domain_->next_instance()),
      on_node_(std::move(on_node)),
      part_bytes_(std::min(part_bytes, MpiMessage::longest_part)),
      envelopes_(envelopes_posted, std::vector<std::byte>(envelope_bytes)),
      filled_(envelopes_posted),
      full_(envelopes_posted) {
  for (std::size_t slot = 0; slot < envelopes_posted; ++slot) post_envelope(slot);
  domain_->add(this, [this] { close_domain(); });
}

MpiCarrier::~MpiCarrier() {
  stop();
}

// Called when the program frees its communicator, or finalises MPI, while the carrier is in use.
void MpiCarrier::close_domain() {
  report_close();
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
  const std::string version = mpi_version();
  return {"mpi/" + version.substr(0, version.find(','))};
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
  MpiPeer& other = at(peer);
  other.open = false;
  for (const PostedReceive& receive : std::exchange(other.posted, {})) {
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
    if (transfer->request == nullptr) continue;  // the transfer had several parts and has ended
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

void MpiCarrier::note_failure(int peer, int status) {
  reason_ = "MPI: " + text_of_mpi_error(status);
  if (std::exchange(at(peer).ended, true)) return;
  report_end(peer, reason_.c_str());
}

// A receive from any source cannot end before the deaths of ranks are acknowledged.
void MpiCarrier::note_deaths() {
  for (const int peer : take_note_of_deaths(domain_->communicator())) {
    reason_ = "MPI has found it dead";
    if (!std::exchange(at(peer).ended, true)) report_end(peer, reason_.c_str());
  }
}

std::uint32_t MpiCarrier::part_bytes_to(int peer) const {
  const bool here = std::ranges::find(on_node_, peer) != on_node_.end();
  return static_cast<std::uint32_t>(here ? MpiMessage::longest_part : part_bytes_);
}

std::unique_ptr<ExposedMemory> MpiCarrier::expose(std::size_t bytes) {
  return expose_in_node(bytes, on_node_.size() == 1);
}

std::unique_ptr<ReachedMemory> MpiCarrier::reach(int, std::span<const std::byte> key,
                                                 std::span<std::byte> there, bool) {
  return reach_in_node(key, there.size());
}

std::unique_ptr<RemoteRequest> MpiCarrier::flush() {
  throw Error(ErrorCode::internal, "MPI's transport has started no put or get by itself");
}

}  // namespace cuboid::detail
