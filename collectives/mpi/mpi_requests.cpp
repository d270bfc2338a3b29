#include "collectives/mpi/mpi_requests.hpp"

#include "collectives/bootstrap/simulated.hpp"

#include <algorithm>
#include <cmath>

namespace cuboid::detail {

namespace {

/// The parts of a message that are under way at a time. When one has ended the next begins.
constexpr std::size_t parts_at_a_time = 16;

}  // namespace

MpiMessage& MpiRequests::make() {
  if (free_.empty()) return messages_.emplace_back();
  MpiMessage* const message = free_.back();
  free_.pop_back();
  std::vector<std::byte> memory = std::move(message->own);  // reuse saves an allocation
  *message = {};
  message->own = std::move(memory);
  return *message;
}

void MpiRequests::free(MpiMessage& message) {
  free_.push_back(&message);
}

int MpiRequests::begin_part(MpiMessage& message) {
  const std::size_t bytes = std::min(message.bytes - message.begun, message.part_bytes);
  const int count = static_cast<int>(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  const int status = message.receiving
                         ? PMPI_Irecv(message.into + message.begun, count, MPI_BYTE, message.peer,
                                      message.tag, message.communicator, &request)
                         : PMPI_Isend(message.from + message.begun, count, MPI_BYTE, message.peer,
                                      message.tag, message.communicator, &request);
  if (status != MPI_SUCCESS) return status;
  requests_.push_back(request);
  owners_.push_back(&message);
  ++message.parts;
  message.begun += bytes;
  return MPI_SUCCESS;
}

int MpiRequests::go_on(MpiMessage& message) {
  int status = MPI_SUCCESS;
  while (status == MPI_SUCCESS && message.begun < message.bytes && message.parts < parts_at_a_time)
    status = begin_part(message);
  return status;
}

int MpiRequests::start(MpiMessage& message) {
  const int status = begin_part(message);  // an empty message is one part, too
  return status == MPI_SUCCESS ? go_on(message) : status;
}

int MpiRequests::send(MpiMessage& message, const void* data, std::size_t bytes, int tag,
                      MPI_Comm communicator) {
  message.from = static_cast<const std::byte*>(data);
  message.bytes = bytes;
  message.tag = tag;
  message.communicator = communicator;
  if (!simulated || message.transfer == nullptr) return start(message);
  wires_.add(message.peer, {&message, bytes});
  drive_wire(message.peer);
  return MPI_SUCCESS;
}

int MpiRequests::receive(MpiMessage& message, void* data, std::size_t bytes, int source, int tag,
                         MPI_Comm communicator) {
  message.receiving = true;
  message.peer = source;
  message.into = static_cast<std::byte*>(data);
  message.bytes = bytes;
  message.tag = tag;
  message.communicator = communicator;
  return start(message);
}

void MpiRequests::drive_wire(int peer) {
  const double now = MPI_Wtime();
  while (const auto next = wires_.start(peer, now)) start(*next->message);
  if (const auto seconds = wires_.set_timer(peer, now)) start_timer(peer, *seconds);
}

// Simulated ranks have no other timer than a message to themselves that takes this long.
void MpiRequests::start_timer(int peer, double seconds) {
  constexpr int tag = 32767;  // not an envelope's: SMPI takes MPI_COMM_SELF for any communicator
  const auto bytes = static_cast<std::size_t>(std::ceil(seconds * simulated_memory_rate()));
  MpiMessage& timer = make();
  timer.timer_of = peer;
  timer.own.resize(bytes);
  receive(timer, timer.own.data(), bytes, 0, tag, MPI_COMM_SELF);
  MpiMessage& sent = make();
  sent.own.resize(bytes);
  send(sent, sent.own.data(), bytes, tag, MPI_COMM_SELF);
}

void MpiRequests::wire_goes_on(const MpiMessage& ended) {
  if (ended.timer_of) {
    wires_.timer_ended(*ended.timer_of);
  } else if (!ended.receiving && ended.transfer != nullptr) {
    wires_.ended(ended.peer, ended.bytes);
  } else {
    return;
  }
  drive_wire(ended.timer_of.value_or(ended.peer));
}

void MpiRequests::make_room() {
  if (indices_.size() >= requests_.size()) return;
  indices_.resize(requests_.size() * 2);
  statuses_.resize(requests_.size() * 2);
}

const std::vector<MpiRequests::CompletedPart>& MpiRequests::test() {
  make_room();
  int count = 0;
  const int status = PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                   indices_.data(), statuses_.data());
  return collect(status, count);
}

const std::vector<MpiRequests::CompletedPart>& MpiRequests::wait() {
  make_room();
  // waits: for simulated ranks, which do not die
  const int status = PMPI_Waitany(static_cast<int>(requests_.size()), requests_.data(),
                                  indices_.data(), statuses_.data());
  return collect(status, indices_.empty() || indices_.front() == MPI_UNDEFINED ? 0 : 1);
}

const std::vector<MpiRequests::CompletedPart>& MpiRequests::collect(int status, int count) {
  ended_.clear();
  if (count == MPI_UNDEFINED || count <= 0) return ended_;
  for (int i = 0; i < count; ++i) {
    const auto which = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    const MPI_Status& one = statuses_[static_cast<std::size_t>(i)];
    const int error = status == MPI_ERR_IN_STATUS ? one.MPI_ERROR : status;
    // A request may survive an error: a receive from any source does so when a rank has died.
    if (error != MPI_SUCCESS && requests_[which] != MPI_REQUEST_NULL) {
      ended_.push_back({nullptr, one, error});
      continue;
    }
    ended_.push_back({owners_[which], one, error});
    owners_[which] = nullptr;
  }
  compact();
  if (!simulated) return ended_;
  for (const CompletedPart& one : ended_) {
    if (one.message != nullptr) wire_goes_on(*one.message);
  }
  return ended_;
}

void MpiRequests::compact() {
  for (std::size_t i = 0; i < owners_.size();) {
    if (owners_[i] != nullptr) {
      ++i;
      continue;
    }
    owners_[i] = owners_.back();
    requests_[i] = requests_.back();
    owners_.pop_back();
    requests_.pop_back();
  }
}

void MpiRequests::cancel(MpiMessage& message) {
  if (message.begun < message.bytes) message.cancelled = true;
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i] == &message) PMPI_Cancel(&requests_[i]);
  }
}

void MpiRequests::abandon(const std::function<bool(const MpiMessage&)>& given_up) {
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    if (!given_up(*owners_[i])) continue;
    PMPI_Request_free(&requests_[i]);
    owners_[i] = nullptr;
  }
  compact();
}

bool MpiRequests::any(const std::function<bool(const MpiMessage&)>& condition) const {
  return std::ranges::any_of(owners_, [&](const MpiMessage* one) { return condition(*one); });
}

void MpiRequests::for_each(const std::function<void(MpiMessage&)>& action) {
  for (MpiMessage* const one : owners_) action(*one);
}

}  // namespace cuboid::detail
